/* The calls of Seen.java: handles are jlong, errors are exceptions. */
#include <bloomery/c.h>
#include <jni.h>
#define JAVA(type, name) JNIEXPORT type JNICALL Java_Seen_##name
#define HANDLE(filter) ((bloomery_filter *)(intptr_t)(filter))
static void check(JNIEnv *env, int code) {
  if (code != BLOOMERY_OK)
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), bloomery_last_error());
}
/* Inserts the keys, or looks them up where there is a place for answers. */
static void use(JNIEnv *env, jlong filter, jbyteArray text, jlongArray ends, uint8_t *answers) {
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  jlong *offsets = (*env)->GetLongArrayElements(env, ends, NULL);
  jbyte *data = (*env)->GetByteArrayElements(env, text, NULL);
  keys.type = BLOOMERY_KEYS_OFFSETS64, keys.count = (size_t)(*env)->GetArrayLength(env, ends) - 1;
  keys.offsets = offsets, keys.data = data, keys.data_size = (size_t)(*env)->GetArrayLength(env, text);
  int code = answers != NULL ? bloomery_may_contain_keys(HANDLE(filter), &keys, answers, NULL)
                             : bloomery_insert_keys(HANDLE(filter), &keys, NULL, NULL);
  (*env)->ReleaseByteArrayElements(env, text, data, JNI_ABORT);
  (*env)->ReleaseLongArrayElements(env, ends, offsets, JNI_ABORT);
  check(env, code);
}
JAVA(jlong, create)(JNIEnv *env, jclass seen, jlong keys, jdouble rate, jstring layout) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter *filter = NULL;
  options.keys = (uint64_t)keys, options.rate = rate;
  options.layout = (*env)->GetStringUTFChars(env, layout, NULL);
  check(env, bloomery_create(&options, &filter));
  (*env)->ReleaseStringUTFChars(env, layout, options.layout);
  return (jlong)(intptr_t)filter;
}
JAVA(void, insert)(JNIEnv *env, jclass seen, jlong filter, jbyteArray text, jlongArray ends) {
  use(env, filter, text, ends, NULL);
}
JAVA(jbyteArray, mayContain)(JNIEnv *env, jclass seen, jlong filter, jbyteArray text, jlongArray ends) {
  jbyteArray answers = (*env)->NewByteArray(env, (*env)->GetArrayLength(env, ends) - 1);
  jbyte *places = (*env)->GetByteArrayElements(env, answers, NULL);
  use(env, filter, text, ends, (uint8_t *)places);
  (*env)->ReleaseByteArrayElements(env, answers, places, 0);
  return answers;
}
JAVA(void, save)(JNIEnv *env, jclass seen, jlong filter, jstring path) {
  const char *name = (*env)->GetStringUTFChars(env, path, NULL);
  check(env, bloomery_save(HANDLE(filter), name, NULL));
  (*env)->ReleaseStringUTFChars(env, path, name);
}
JAVA(jlong, load)(JNIEnv *env, jclass seen, jstring path) {
  bloomery_filter *filter = NULL;
  const char *name = (*env)->GetStringUTFChars(env, path, NULL);
  check(env, bloomery_load(name, NULL, 0, NULL, &filter));
  (*env)->ReleaseStringUTFChars(env, path, name);
  return (jlong)(intptr_t)filter;
}
JAVA(jboolean, isHealthy)(JNIEnv *env, jclass seen, jlong filter) {
  bloomery_health health = BLOOMERY_HEALTH_INIT;
  check(env, bloomery_get_health(HANDLE(filter), &health));
  return health.verdict == BLOOMERY_VERDICT_OK;
}
JAVA(void, free)(JNIEnv *env, jclass seen, jlong filter) { bloomery_free(HANDLE(filter)); }
