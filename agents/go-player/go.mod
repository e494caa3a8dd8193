module sample-player

go 1.19
