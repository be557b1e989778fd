// As examples/c/seen.c: go build seen.go. A batch is one call: a call of C costs as much as 20 keys.
package main

/*
#cgo LDFLAGS: -lbloomery_c
#include <bloomery/c.h>
#include <stdlib.h>

// Go may not pass memory that points to Go memory, so the structure is made here.
static int use(bloomery_filter *f, const int64_t *ends, const void *text, size_t count, size_t size, uint8_t *answers) {
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.type = BLOOMERY_KEYS_OFFSETS64;
  keys.offsets = ends, keys.data = text, keys.count = count, keys.data_size = size;
  return answers ? bloomery_may_contain_keys(f, &keys, answers, NULL) : bloomery_insert_keys(f, &keys, NULL, NULL);
}
*/
import "C"
import ("bufio"; "fmt"; "os"; "strconv"; "unsafe")

func check(code C.int) {
	if code != C.BLOOMERY_OK {
		fmt.Fprintln(os.Stderr, "seen:", C.GoString(C.bloomery_last_error()))
		os.Exit(2)
	}
}

func main() {
	text, ends, size := make([]byte, 0, 1), []C.int64_t{0}, C.size_t(0)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); size = C.size_t(len(text)) {
		text = append(text, in.Bytes()...)
		ends = append(ends, C.int64_t(len(text)))
	}
	count, data := C.size_t(len(ends)-1), unsafe.Pointer(&text[:1][0])
	var filter *C.bloomery_filter
	if os.Args[1] == "write" {
		keys, _ := strconv.ParseUint(os.Args[3], 10, 64)
		rate, _ := strconv.ParseFloat(os.Args[4], 64)
		options := C.bloomery_options{keys: C.uint64_t(keys), rate: C.double(rate), layout: C.CString(os.Args[5])}
		options.struct_size = C.sizeof_bloomery_options
		check(C.bloomery_create(&options, &filter))
		check(C.use(filter, &ends[0], data, count, size, nil))
		check(C.bloomery_save(filter, C.CString(os.Args[2]), nil))
	} else {
		answers, health := make([]C.uint8_t, count+1), C.bloomery_health{struct_size: C.sizeof_bloomery_health}
		check(C.bloomery_load(C.CString(os.Args[2]), nil, 0, nil, &filter))
		check(C.use(filter, &ends[0], data, count, size, &answers[0]))
		check(C.bloomery_get_health(filter, &health))
		for _, answer := range answers[:count] {
			fmt.Println(answer)
		}
		fmt.Println(map[bool]string{true: "ok", false: "not ok"}[health.verdict == C.BLOOMERY_VERDICT_OK])
	}
	C.bloomery_free(filter)
}
