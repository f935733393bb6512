module example.com/consumer

go 1.24

require libkarp.dev/go v0.1.0
