module sample-agent

go 1.19
