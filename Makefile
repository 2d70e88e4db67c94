# The thin front: CMake's presets do the work (CMakePresets.json).
.DEFAULT_GOAL := help
.PHONY: help setup build install image package run manifests test asan tsan test-real test-real-short test-real-long test-real-matrix test-manifests test-image test-page test-packages test-docs pictures test-crashes test-election fuzz fuzz-short fuzz-planted fuzz-bytes bench bench-scale docs format format-check tidy clean

PROGRAMS := node-lifecycle-controller leader-elector nlc
FOLDERS := runtime yaml metrics api client net informer election controller program report sim nlc bench tests
SOURCES = find $(FOLDERS) -name '*.h' -o -name '*.cpp' | sort
JOBS ?= $(shell nproc)
LIBRARIES := nlc_informer nlc_election nlc_election_asio
PREFIX ?= /usr/local

# make image ARCH=arm64, on a machine of another: a cross build against packages that are unpacked, not installed.
ARCH :=
CROSS := $(if $(ARCH),$(addprefix -,$(filter-out $(shell dpkg --print-architecture),$(ARCH))))
ifneq ($(and $(CROSS),$(filter-out build image test-image,$(MAKECMDGOALS))),)
  $(error ARCH=$(ARCH) is for build, image and test-image)
endif

# Tests in virtual time; what needs a real kube-apiserver is labelled real, side-by-side or real-long.
CTEST := ctest --parallel $(JOBS) --label-exclude 'real|side' --preset

# GCC 12's thread sanitizer cannot start where the kernel scatters addresses more widely than it expects.
STILL = $(shell setarch --addr-no-randomize true 2>/dev/null && echo setarch --addr-no-randomize)

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

setup: ## install what a bare Debian 12 lacks for all of this; other targets see to what they need themselves
	@.ci/setup

SETUPS := setup-build setup-test setup-matrix setup-fuzz setup-format setup-tidy setup-sanitizers setup-image setup-package setup-manifests setup-test-image setup-test-page setup-pictures setup-test-packages setup-build-arm64 setup-test-image-arm64
.PHONY: $(SETUPS)
$(SETUPS): setup-%:
	@.ci/setup $*

build: setup-build$(CROSS) ## release programs into build/bin/; ARCH=arm64: into build/release-arm64/bin/
	$(if $(CROSS),packaging/sysroot.sh $(ARCH) build/sysroot$(CROSS))
	cmake --preset release$(CROSS)
	cmake --build --preset release$(CROSS) --target $(PROGRAMS)

install: build ## programs and libraries into PREFIX (/usr/local)
	cmake --build --preset release --target $(LIBRARIES)
	cmake --install build/release --prefix $(PREFIX)

image: build setup-image ## build/delivery/: an OCI archive of the programs, and its SBOM; ARCH=arm64: build/delivery-arm64/
	packaging/image.sh build/release$(CROSS) build/delivery$(CROSS)

package: build setup-package ## build/delivery/: Debian packages of programs and libraries, and a tarball
	cmake --build --preset release --target $(LIBRARIES) manuals
	packaging/package.sh build/release build/delivery

manifests: setup-manifests ## write manifests/ as its chart says, and the dashboard; builds helm once, by Go
	tools=$$(tests/manifests/tools.sh) && PATH="$$tools:$$PATH" manifests/write.sh

run: build ## the demo: nodes die, their pods leave, everything heals; about half a minute
	build/bin/nlc demo

test: setup-build setup-test ## build with assertions and warnings as errors, run every test but the real ones
	cmake --preset dev
	cmake --build --preset dev
	$(CTEST) dev
	@build/dev/tests/conformance/test_cases --gtest_filter='CaseLedger.*' | grep ' cases, '

# Out of descriptors the sanitizers themselves cannot look at memory.
WITHOUT_FILES := *TooFewFile*:*TooManyOpenFiles*:*DescriptorsThatRanOut*

asan: setup-build setup-test setup-sanitizers ## the same tests under the address and undefined-behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan
	GTEST_FILTER='-$(WITHOUT_FILES)' $(CTEST) asan

tsan: setup-build setup-test ## the same under the thread sanitizer, save what links cpprestsdk
	cmake --preset tsan
	$(STILL) cmake --build --preset tsan
	$(STILL) $(CTEST) tsan

# Verbose, so that the server's version and the delays measured are shown. Another release: make test-real VERSION=1.36.3
define real
	cmake --preset dev
	cmake --build --preset dev --target test_real
	servers=$$(tests/real/build-servers.sh $(2)) && tools=$$(tests/real/prometheus.sh) && \
	  KUBEBUILDER_ASSETS="$$servers" PATH="$$PATH:$$tools" ctest --preset dev --verbose --parallel 3 --label-regex '^$(1)$$'
endef

test-real: setup-build setup-test ## against a real kube-apiserver, and shortly beside kube-controller-manager (builds both once); 9 minutes
	$(call real,(real|side-by-side),--with-kcm)

test-real-short: setup-build setup-test ## the same without kube-controller-manager, which takes long to build; 6 minutes
	$(call real,real)

test-real-long: setup-build setup-test ## the long stories against a real kube-apiserver; about 20 minutes
	$(call real,real-long)

test-real-matrix: setup-build setup-test setup-matrix ## the short stories on every Kubernetes there is a VERSION for; writes docs/compatibility.md; about 20 minutes
	cmake --preset dev
	cmake --build --preset dev --target test_real
	tests/real/matrix.sh build/real-matrix docs/compatibility.md

test-manifests: setup-manifests ## chart and kustomization by helm, kubectl and the schemas of Kubernetes 1.34 to 1.37; builds the tools once, by Go
	tests/manifests/check.sh

test-image: image setup-test-image$(CROSS) ## start the image as the Deployment states it; half a minute, as root; ARCH=arm64: by QEMU
	tests/packaging/image.sh build/release$(CROSS) build/delivery$(CROSS)

test-page: build setup-test-page ## the live page in a headless Chromium, clicks included; half a minute. Pictures land in build/page
	tests/page/page_test.py build/bin build/page

pictures: build setup-pictures ## docs/page/: the page with 100 nodes and with 5,000, and what it costs there; five minutes
	tests/page/pictures.py build/bin docs/page

test-packages: package setup-test-packages ## install the packages into a bare Debian 12 and use them; as root
	tests/packaging/packages.sh build/delivery

# Twenty times faster optimised; WRITE=1 writes what differs.
test-docs: build setup-test ## run every documented command that needs no cluster, the long ones too, and compare; two minutes, WRITE=1
	cmake --preset dev
	cmake --build --preset dev --target test_docs
	NLC_EVERY_FIGURE=1 $(if $(WRITE),NLC_WRITE_DOCS=1) NLC_PROGRAM=build/bin/nlc build/dev/tests/docs/test_docs --gtest_brief=1

test-crashes: setup-build setup-test ## kill the controller after every single write of every conformance case
	cmake --preset release -DNLC_TESTS=ON
	cmake --build --preset release --target test_scenario
	NLC_EVERY_WRITE=1 build/bin/test_scenario --gtest_filter='*Crash*'

test-election: setup-build setup-test ## ten thousand elections by lot, everything going wrong around them; a few minutes
	cmake --preset release -DNLC_TESTS=ON
	cmake --build --preset release --target test_election
	seq 0 19 | NLC_ELECTION_RUNS=500 xargs --max-procs=$(JOBS) -I SHARD \
	  build/bin/test_election --gtest_brief=1 --gtest_filter='Shard/RivalsByLot.*/SHARD'

# make bench NODES=5000 PODS=6 DIE=500 LIMITED=6m
NODES ?= 2000
PODS ?= 10
DIE ?= 50
LIMITED ?= 2m

# make fuzz DAYS=100000 FIRST=1
DAYS ?= 10000
FIRST ?= 1

# Days are made of small objects that come and go: with this allocator they take less time, many nodes a sixth.
PLAYER := LD_PRELOAD=libmimalloc.so.2 build/bin/nlc fuzz --out build/fuzz

fuzz: build setup-fuzz ## days nobody thought of: DAYS= of them from number FIRST= on; what is found lands in build/fuzz
	$(PLAYER) --first $(FIRST) --seeds $(DAYS)

fuzz-short: build setup-fuzz ## the days 116 to 1615, which no change may spoil, and 1,500 new ones with every commit; two minutes
	$(PLAYER) --first 116 --seeds 1500
	$(PLAYER) --first $$((1000000 + 1500 * $$(git rev-list --count HEAD || echo 0))) --seeds 1500

fuzz-planted: setup-build ## make each mistake of runtime/planted.cpp in turn and find it by such days; long
	cmake --preset planted
	cmake --build --preset planted --target nlc
	build/planted/bin/nlc fuzz --planted all --seeds 10000 --out build/planted/found

# make fuzz-bytes RUNS=100000 READERS="patch kubeconfig"
RUNS ?= 1000000
READERS ?=

fuzz-bytes: setup-build setup-test setup-sanitizers ## bytes nobody thought of, for everybody who reads bytes from outside; RUNS= each, READERS= some; hours
	cmake --preset bytes
	cmake --build --preset bytes
	tests/bytes/fuzz.sh build/bytes $(RUNS) $(READERS)

bench: setup-build setup-test ## measure beside kube-controller-manager, print the table; 39 minutes, NODES= PODS= DIE= LIMITED=
	cmake --preset release
	cmake --build --preset release --target bench
	servers=$$(tests/real/build-servers.sh --with-kcm) && KUBEBUILDER_ASSETS="$$servers" \
	  build/bin/side_by_side --nodes $(NODES) --pods-per-node $(PODS) --die $(DIE) --limited-span $(LIMITED)

# make bench-scale SIZES=1000,10000 DYING=1000
SIZES ?= 1000,10000,100000
DYING ?= 1000,10000

bench-scale: setup-build ## cost per node up to 100,000 nodes and a million pods, and how they die up to 10,000; 20 minutes, SIZES= DYING=
	cmake --preset release
	cmake --build --preset release --target bench
	build/bin/bench_controller --nodes $(SIZES) --grace 40s --pod-changes 2 --feed
	build/bin/bench_controller --nodes $(DYING) --grace 40s --pod-changes 2 --die 1 --zone-dies \
	  --workbench-flag=--node-status-update-frequency=5m

docs: setup-build setup-test ## write docs/defects.md from the list of cases that deviate
	cmake --preset dev
	cmake --build --preset dev --target test_cases
	NLC_WRITE_DOCS=1 build/dev/tests/conformance/test_cases --gtest_brief=1 --gtest_filter='DefectsPage.OfThe*'

format: setup-format ## format every source file
	@$(SOURCES) | xargs clang-format-14 -i

format-check: setup-format ## fail when a source file is not formatted
	@$(SOURCES) | xargs clang-format-14 --dry-run --Werror
	@echo "formatted: all of $$($(SOURCES) | wc -l) files"

tidy: setup-build setup-test setup-tidy ## clang-tidy on every source file; its few rules are always obeyed
	cmake --preset dev -B build/tidy -DCMAKE_UNITY_BUILD=OFF
	run-clang-tidy-14 -quiet -j $(JOBS) -p build/tidy -extra-arg=-Wno-error

clean: ## remove everything that was built, save the servers of test-real
	rm -rf build
