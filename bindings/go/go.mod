module libkarp/bindings/go

go 1.24
