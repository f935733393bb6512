// SPDX-License-Identifier: Apache-2.0

//! Compiles the one-file library with the C compiler that is there: CC_<target>, CC or cc, with AR_<target>, AR or ar.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A setting for the target before one for everything.
fn setting(name: &str, otherwise: &str) -> Vec<String> {
    let target = env::var("TARGET").unwrap_or_default();
    let names = [format!("{name}_{target}"), format!("{name}_{}", target.replace(['-', '.'], "_")), name.to_string()];
    for each in &names {
        println!("cargo:rerun-if-env-changed={each}");
    }
    let found =
        names.iter().find_map(|each| env::var(each).ok().filter(|value| !value.trim().is_empty())).unwrap_or_else(|| otherwise.to_string());
    found.split_whitespace().map(str::to_string).collect()
}

fn run(command: &mut Command) {
    let shown = format!("{command:?}");
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{shown}: {status}"),
        Err(error) => panic!("{shown}: {error}. A C compiler is needed: set CC"),
    }
}

fn compile(folder: &Path, out: &Path, name: &str) -> PathBuf {
    let source = folder.join(format!("{name}.c"));
    if !source.exists() {
        panic!("{} is not there: this is the source tree. bindings/stage.py rust makes the crates", source.display());
    }
    println!("cargo:rerun-if-changed={}", source.display());
    let object = out.join(format!("{name}.o"));
    let cc = setting("CC", "cc");
    let level = env::var("OPT_LEVEL").unwrap_or_else(|_| "2".to_string());
    run(Command::new(&cc[0])
        .args(&cc[1..])
        .args(["-std=c11", "-fPIC", "-ffunction-sections", "-fdata-sections", "-w", &format!("-O{level}"), "-I"])
        .arg(folder)
        .args(setting("CFLAGS", ""))
        .arg("-c")
        .arg(&source)
        .arg("-o")
        .arg(&object));
    object
}

fn main() {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("c");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let mut objects = vec![compile(&folder, &out, "karp")];
    let io = env::var("CARGO_FEATURE_IO").is_ok();
    if io {
        objects.push(compile(&folder, &out, "karp-io"));
    }
    let ar = setting("AR", "ar");
    let archive = out.join("libkarp_rust.a");
    let _ = std::fs::remove_file(&archive);
    run(Command::new(&ar[0]).args(&ar[1..]).arg("crs").arg(&archive).args(&objects));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=karp_rust");
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if system != "windows" {
        println!("cargo:rustc-link-lib=m");
    }
    if io && system == "linux" {
        println!("cargo:rustc-link-lib=dl");
    }
    if io && !folder.join("yaml.h").exists() {
        println!("cargo:rustc-link-lib=yaml"); // staged without libyaml's source
    }
}
