// As examples/c/seen.c: rustc seen.rs -L LIBRARY_FOLDER. Needs no crate.
use std::ffi::{CStr, CString};
use std::io::Read;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
#[repr(C)] struct Key { data: *const u8, size: usize }
#[repr(C)] struct Options {
    struct_size: usize, keys: u64, rate: f64, bits: u64, probes: u32, expansion: u32, bits_per_key: f64, blocks: u64,
    format: *const c_char, layout: *const c_char, hash: *const c_char, seed: u64, secret: *const c_void,
    secret_size: usize, counter_bits: u32, growth: u32, tightening: f64, max_layers: u32, base_lg: u32,
    funnel: *const c_char, max_bytes: u64, guava_release: *const c_char, user_data: *const c_void, user_data_size: usize,
}
#[repr(C)] #[derive(Default)] struct Health {
    struct_size: usize, fill: f64, estimated_keys: f64, rate: f64, keys_inserted: u64, goal_keys: u64, goal_rate: f64, verdict: u32, sampled: u32,
}
enum Filter {}
#[link(name = "bloomery_c")] extern "C" {
    fn bloomery_last_error() -> *const c_char;
    fn bloomery_create(options: *const Options, filter: *mut *mut Filter) -> c_int;
    fn bloomery_insert(filter: *mut Filter, keys: *const Key, count: usize, is_new: *mut u8, added: *mut usize) -> c_int;
    fn bloomery_may_contain(filter: *const Filter, keys: *const Key, count: usize, answers: *mut u8, found: *mut usize) -> c_int;
    fn bloomery_save(filter: *const Filter, path: *const c_char, format: *const c_char) -> c_int;
    fn bloomery_load(path: *const c_char, format: *const c_char, max_bytes: u64, options: *const c_void, filter: *mut *mut Filter) -> c_int;
    fn bloomery_get_health(filter: *const Filter, health: *mut Health) -> c_int;
    fn bloomery_free(filter: *mut Filter);
}
unsafe fn check(code: c_int) {
    if code != 0 { eprintln!("seen: {}", CStr::from_ptr(bloomery_last_error()).to_string_lossy()); std::process::exit(2); }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    let mut keys: Vec<Key> = input.split(|b| *b == b'\n').map(|line| Key { data: line.as_ptr(), size: line.len() }).collect();
    if input.is_empty() || input.ends_with(b"\n") { keys.pop(); }
    let path = CString::new(args[2].as_str()).unwrap();
    let mut filter: *mut Filter = null_mut();
    unsafe {
        if args[1] == "write" {
            let layout = CString::new(args[5].as_str()).unwrap();
            let mut options: Options = std::mem::zeroed();
            options.struct_size = std::mem::size_of::<Options>();
            (options.keys, options.rate) = (args[3].parse().unwrap(), args[4].parse().unwrap());
            options.layout = layout.as_ptr();
            check(bloomery_create(&options, &mut filter));
            check(bloomery_insert(filter, keys.as_ptr(), keys.len(), null_mut(), null_mut()));
            check(bloomery_save(filter, path.as_ptr(), null()));
        } else {
            let mut answers = vec![0u8; keys.len()];
            let mut health = Health { struct_size: std::mem::size_of::<Health>(), ..Default::default() };
            check(bloomery_load(path.as_ptr(), null(), 0, null(), &mut filter));
            check(bloomery_may_contain(filter, keys.as_ptr(), keys.len(), answers.as_mut_ptr(), null_mut()));
            check(bloomery_get_health(filter, &mut health));
            answers.iter().for_each(|answer| println!("{}", answer));
            println!("{}", if health.verdict == 0 { "ok" } else { "not ok" });
        }
        bloomery_free(filter);
    }
}
