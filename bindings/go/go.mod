module libkarp.dev/go

go 1.24
