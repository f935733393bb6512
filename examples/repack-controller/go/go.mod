module libkarp/examples/repack-controller

go 1.24

require libkarp.dev/go v0.0.0

replace libkarp.dev/go => ../../../bindings/go
