module example.com/consumer

go 1.24

require libkarp.dev/go v1.0.0-rc.1
