#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| labdoc::fuzzing::run("page", data));
