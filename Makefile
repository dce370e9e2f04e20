# The two commands of this repository are `make site` and `make test`; `make help` lists the rest.
# Each prints what it does, stops at the first failure and is quick when nothing lacks.
.POSIX:
SHELL = /bin/sh

CARGO = cargo
OUT = public
# Minutes that each target is fuzzed.
MINUTES = 5
# Seconds that the browser tests may take.
BROWSER_SECONDS = 600

# The guide's pages run labdoc itself: `make verify` puts it in front of the PATH.
# Where cargo writes, and where a user's own tools lie (Debian keeps nginx out of a user's PATH).
TARGET = "$${CARGO_TARGET_DIR:-target}"
FIND = PATH="$$PATH:$${HOME-}/.local/bin:/usr/local/sbin:/usr/sbin:/sbin"
DENY_FIND = PATH="$${LABDOC_TOOLS:-$$(pwd)/.tools}/bin:$$PATH"
SAY = @printf '\n==> %s\n'

.PHONY: help site test fuzz package deb ci-files tools-build tools-lab tools-test compile verify bench bench-check bench-profile bench-verify \
	fmt scripts manifests clippy unit test-long test-cluster test-cluster-long check browser deny \
	deny-if-there clean

help:
	@echo 'make site     set up, compile, run the pages that need no cluster, build the site into $(OUT)/'
	@echo 'make test     set up and run every test: format, lints, unit, site, browser'
	@echo 'make test-cluster  the cluster kit and pages on a real cluster that it starts and ends (root)'
	@echo 'make test-cluster-long  every scene of the kit three times (hours)'
	@echo 'make test-long  the property tests with 10,000 cases each'
	@echo 'make bench    labdoc build against its peers; fetches them (minutes); writes benches/RESULTS.md'
	@echo 'make bench-check  counts the instructions of a build and fails 10 % above the committed figure'
	@echo 'make bench-profile  where a build spends its instructions; writes benches/PROFILE.md'
	@echo 'make bench-verify  labdoc verify against its peers; fetches them (minutes); writes benches/RESULTS-verify.md'
	@echo 'make fuzz     random bytes for each reader of labdoc, MINUTES=5 each (hours in all: fuzz/README.md)'
	@echo 'make package  what is published: the static binary with completions, manual pages and SBOM, and the crate (dist/)'
	@echo 'make deb      a Debian package of it, installed, tried and removed in a root of its own (root, debootstrap)'
	@echo 'make ci-files the CI files for users against schemas and local runners; fetches them'
	@echo 'make deny     licences, sources and bans of the dependencies; installs cargo-deny (minutes)'
	@echo 'make verify   only run the pages against what is printed in them'
	@echo 'make clean    remove what was built'

# ---- the site -----------------------------------------------------------------------------------

site: tools-build tools-lab compile verify
	$(SAY) 'building the site into $(OUT)/'
	@$(TARGET)/release/labdoc build --out "$(OUT)"
	@printf '\nThe site is ready. Open it from the disk, no server is needed:\n\n'
	@case "$(OUT)" in /*) at='$(OUT)' ;; *) at="$$(pwd)/$(OUT)" ;; esac; \
		printf '    xdg-open "%s/index.html"\n\n' "$$at"

compile:
	$(SAY) 'compiling labdoc (release)'
	@$(CARGO) build --release --locked

verify: compile
	$(SAY) 'running the pages that need no cluster'
	@bin=$$(cd $(TARGET)/release && pwd) && PATH="$$bin:$$PATH" && export PATH && $(FIND) labdoc verify

# BENCH="--pages 1000 --rounds 1" measures less.
BENCH =

# ---- the bench ----------------------------------------------------------------------------------

bench: compile
	$(SAY) 'labdoc build against its peers, all in turn in one go'
	@tools/dev-tools builders
	@tools="$${LABDOC_TOOLS:-$$(pwd)/.tools}"; PATH="$$tools/bin:$$tools/builders/bin:$$PATH" \
		LABDOC_BIN=$(TARGET)/release/labdoc benches/build.py --write benches/RESULTS.md $(BENCH)

bench-check: compile
	$(SAY) 'counting the instructions of a build'
	@tools/dev-tools guard
	@LABDOC_BIN=$(TARGET)/release/labdoc benches/guard.py

bench-profile:
	$(SAY) 'where a build spends its instructions'
	@tools/dev-tools guard
	@$(CARGO) build --profile profiling --locked
	@LABDOC_BIN=$(TARGET)/profiling/labdoc benches/profile.py --write benches/PROFILE.md

bench-verify: compile
	$(SAY) 'labdoc verify against its peers, all in turn in one go'
	@tools/dev-tools peers
	@tools="$${LABDOC_TOOLS:-$$(pwd)/.tools}"; PATH="$$tools/bin:$$tools/peers/bin:$$PATH" \
		LABDOC_BIN=$(TARGET)/release/labdoc benches/verify.py --write benches/RESULTS-verify.md

# ---- the tests ----------------------------------------------------------------------------------

test: tools-build tools-lab tools-test fmt scripts manifests clippy unit check browser deny-if-there
	$(SAY) 'all tests passed'

fmt:
	$(SAY) 'cargo fmt --check'
	@$(CARGO) fmt --check

scripts:
	$(SAY) 'scripts: shellcheck and Python'
	@tools/lint-scripts

manifests:
	$(SAY) 'the manifests of the cluster kit: schemas and rules'
	@tools/check-manifests

clippy:
	$(SAY) 'cargo clippy'
	@$(CARGO) clippy --locked --all-targets -- -D warnings

unit:
	$(SAY) 'cargo test'
	@$(FIND) $(CARGO) test --locked --no-fail-fast
	$(SAY) 'cargo test: pages that ask a real kubectl'
	@if PATH=/usr/local/bin:/usr/bin:/bin command -v kubectl >/dev/null; then \
		$(CARGO) test --locked --no-fail-fast --test cli --test cases -- --ignored; \
	else echo 'no kubectl to be had here: these tests stay ignored'; fi
	$(SAY) 'cargo test: the examples of CommonMark'
	@$(CARGO) test --locked --lib commonmark -- --ignored

test-long:
	$(SAY) 'property tests, 10,000 cases each'
	@PROPTEST_CASES=10000 $(CARGO) test --locked --lib refresh_tests

fuzz:
	$(SAY) 'fuzzing, $(MINUTES) minutes a target'
	@tools/fuzz $(MINUTES)

# A real cluster of this machine's own (e2e/cluster): built where it lacks, started, and ended whatever happens.
test-cluster:
	$(SAY) 'the cluster kit and pages on a real cluster'
	@e2e/cluster/test short

test-cluster-long:
	$(SAY) 'every scene of the cluster kit, three times'
	@e2e/cluster/test long

check:
	$(SAY) 'checking and building this repository as a site'
	@$(CARGO) build --locked
	@tools/check-schemas $(TARGET)/debug/labdoc
	@$(TARGET)/debug/labdoc check --quiet
	@$(TARGET)/debug/labdoc build --quiet --out $(TARGET)/test-site

browser: check
	$(SAY) 'the site in Chromium: from the disk, at the root of a server and below a sub-path'
	@site=$$(cd $(TARGET)/test-site && pwd) && cd tests/browser && \
		CHROMIUM="$$(../../tools/dev-tools chromium)" \
		"$$(../../tools/dev-tools node)" run.mjs "$$site" --seconds $(BROWSER_SECONDS)
	$(SAY) 'evidence, kits and the offline copy in Chromium'
	@labdoc=$$(cd $(TARGET)/debug && pwd)/labdoc && cd tests/browser && \
		CHROMIUM="$$(../../tools/dev-tools chromium)" \
		"$$(../../tools/dev-tools node)" evidence.mjs "$$labdoc"
	$(SAY) 'a new site as its reader has it in Chromium, and the weight of pages'
	@labdoc=$$(cd $(TARGET)/debug && pwd)/labdoc && site=$$(cd $(TARGET)/test-site && pwd) && \
		cd tests/browser && CHROMIUM="$$(../../tools/dev-tools chromium)" \
		"$$(../../tools/dev-tools node)" reader.mjs "$$labdoc" "$$site"
	$(SAY) 'diagrams, search and the page for what is not found in Chromium'
	@$(TARGET)/debug/labdoc --root tests/sites/diagrams build --quiet --out $(TARGET)/test-diagrams
	@site=$$(cd $(TARGET)/test-diagrams && pwd) && cd tests/browser && \
		CHROMIUM="$$(../../tools/dev-tools chromium)" && export CHROMIUM && \
		node=$$(../../tools/dev-tools node) && \
		"$$node" labels.mjs "$$site" && \
		"$$node" search.mjs "$$site" '모든 종류' kinds.html && \
		"$$node" run.mjs "$$site" --seconds $(BROWSER_SECONDS)

# cargo-deny takes minutes to install: `make test` uses the one that is there, `make deny` fetches it.
deny:
	$(SAY) 'cargo deny'
	@tools/dev-tools deny
	@$(DENY_FIND) cargo-deny --locked check bans licenses sources

deny-if-there:
	$(SAY) 'cargo deny'
	@$(DENY_FIND); export PATH; \
	if command -v cargo-deny >/dev/null 2>&1; then \
		cargo-deny --locked check bans licenses sources; \
	else echo 'cargo-deny is not here: skipped; `make deny` installs it and checks'; fi

ci-files:
	$(SAY) 'the CI files for users: schemas, local runners, a reader of JUnit'
	@$(CARGO) build --locked
	@tools/check-ci $(TARGET)/debug/labdoc

# ---- packages -----------------------------------------------------------------------------------

package:
	$(SAY) 'the static binary of the commit that is checked out'
	@tools/dev-tools package
	@packaging/release dist
	$(SAY) 'cargo package'
	@$(CARGO) package --locked --no-verify

deb: package
	$(SAY) 'a Debian package'
	@packaging/deb dist

# ---- set-up -------------------------------------------------------------------------------------

tools-build:
	$(SAY) 'set-up: what compiling needs'
	@tools/dev-tools build

tools-lab:
	$(SAY) 'set-up: what the lab needs'
	@tools/lab-tools

tools-test:
	$(SAY) 'set-up: what the tests need'
	@tools/dev-tools test

clean:
	rm -rf "$(OUT)" tests/browser/node_modules .tools
	$(CARGO) clean
