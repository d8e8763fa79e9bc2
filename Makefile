# drawbridge. `make help` lists the targets.

BIN := bin/drawbridge
# The race detector needs a C compiler on Linux; without one the tests run plain.
RACE := $(shell command -v cc >/dev/null 2>&1 && echo -race)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: help build demo test check generate bench soak fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/drawbridge
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $(BIN) ./cmd/drawbridge

demo: build ## find or install a browser and run the main job on the demo site
	@scripts/browsers.sh
	@$(BIN) demo

test: ## install what tests need and run them all
	@scripts/browsers.sh --firefox
	DRAWBRIDGE_REQUIRE_BROWSER=1 go test $(RACE) -timeout 20m ./...

check: ## format, vet, staticcheck, types, lint, generated files
	@test -z "$$(gofmt -l .)" || { echo "gofmt these:"; gofmt -l .; exit 1; }
	go vet ./...
	GOOS=darwin go vet ./cmd/drawbridge
	GOOS=windows go vet ./cmd/drawbridge
	go tool staticcheck ./...
	cd web && npm ci --silent && npm run --silent check
	go run ./internal/gen -check

generate: ## remake the page agent, types, docs and golden files
	go run ./internal/gen
	UPDATE=1 go test -count=1 ./internal/toolset
	go test -count=1 ./internal/mcpserver -run TestTranscripts -update
	go test -count=1 ./internal/dialect/... -update

bench: build ## benchmarks of the connection, the page agent and whole calls
	@scripts/browsers.sh
	go test -run '^$$' -bench . -benchtime 2s ./internal/... ./e2e

soak: ## 10,000 mixed calls in a row, what is left of them, and 500 tabs
	@scripts/browsers.sh
	DRAWBRIDGE_REQUIRE_BROWSER=1 go test -count=1 -v -timeout 2h ./e2e -run 'TestSoak|TestManyTabs' -soak 10000 -many 500

fuzz: ## every fuzz test for FUZZTIME (default 30s) each
	@for pkg in $$(grep -rl --include=*_test.go '^func Fuzz' internal | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$pkg/*_test.go | cut -c6-); do \
	    echo "== $$pkg $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(or $(FUZZTIME),30s) ./$$pkg || exit 1; \
	  done; done

clean: ## remove what was built
	rm -rf bin web/node_modules
