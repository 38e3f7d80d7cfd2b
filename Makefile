# make            build/ken, build/libken.a, build/libken.so, build/examples/*
# make demo       set up, build, train the date model and show it
# make test       set up, build, run every test          (ends with "N passed, N failed, N skipped")
# make bench      every benchmark; KEN_PEER_PYTHON=python with torch for the peers
# make check      layers, symbols, sizes, format, analyser
# make asan       every test under the address and undefined-behaviour sanitizers
# make fuzz       any bytes for every reader of files; SECONDS=60 for each
# make cross      the library for 64-bit ARM, to see that it builds
# make install    prefix=/usr/local DESTDIR=
# V=1 shows every command in full.

BUILD   ?= build
prefix  ?= /usr/local
CC       = gcc
CFLAGS  ?= -O2 -g
WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-missing-field-initializers
ALL_CFLAGS = -std=gnu11 $(WARN) $(CFLAGS) -fPIC -fvisibility=hidden -pthread -MMD -MP \
             -Iinclude -Isrc -I. $(EXTRA)
Q        = $(if $(filter 1,$(V)),,@echo "  $(@:$(BUILD)/%=%)";)
# The version since which programs need not be compiled again: part of the soname (docs/ABI.md).
ABI      = 0.2
LIBS     = -ljansson -lutf8proc -lz -lm -pthread

# Kernels are compiled with -O3; products and sums may fuse (fma), but nothing may be reordered.
KERNEL_O        = -O3
KERNEL_CFLAGS   = $(KERNEL_O) -ffp-contract=fast -fno-math-errno -fno-trapping-math
CFLAGS_generic  =
CFLAGS_avx2     = -mavx2 -mfma
CFLAGS_avx512   = -mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx2 -mfma
ARCH           := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
ISAS            = generic $(if $(filter x86_64,$(ARCH)),avx2 avx512)

SIMD_SOURCES := $(wildcard src/kernel/simd/*.c)
LIB_SOURCES  := $(filter-out $(SIMD_SOURCES),$(wildcard src/*/*.c src/kernel/*/*.c))
CLI_SOURCES  := $(wildcard cli/*.c bench/*.c)
TEST_SOURCES := $(wildcard tests/*/test_*.c)
EXAMPLES     := $(wildcard examples/*.c)

LIB_OBJECTS  := $(LIB_SOURCES:%.c=$(BUILD)/obj/%.o) \
                $(foreach isa,$(ISAS),$(SIMD_SOURCES:%.c=$(BUILD)/obj/%.$(isa).o))
LIB_OBJECTS  += $(patsubst web/%.html,$(BUILD)/obj/web/page_%.o,$(wildcard web/*.html))
CLI_OBJECTS  := $(CLI_SOURCES:%.c=$(BUILD)/obj/%.o)
HELP_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/*.c))
TESTS        := $(TEST_SOURCES:%.c=$(BUILD)/%)
EXAMPLE_BINS := $(EXAMPLES:%.c=$(BUILD)/%)

.PHONY: all build-all build-tests build-fuzz demo test bench check asan fuzz cross install setup clean
.DELETE_ON_ERROR:
.SECONDARY:

all: setup
	@$(MAKE) --no-print-directory -j$$(nproc) build-all
build-all: $(BUILD)/ken $(BUILD)/libken.a $(BUILD)/libken.so $(EXAMPLE_BINS)

setup:
	@tools/setup $(MAKECMDGOALS)

demo: all
	@$(BUILD)/ken demo

test: setup
	@$(MAKE) --no-print-directory -j$$(nproc) build-all build-tests
	@tests/run $(BUILD)
build-tests: $(TESTS)

bench: all
	@$(BUILD)/ken bench

check: setup
	@$(MAKE) --no-print-directory -j$$(nproc) build-all
	@tools/check $(BUILD)

asan: setup
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=$(BUILD)-asan EXTRA="$(ASAN)" KERNEL_O="$(ASAN_O)" \
	    build-all build-tests
	@ASAN_OPTIONS=allocator_may_return_null=1 tests/run $(BUILD)-asan

# At -O3 kernels take very long to compile with sanitizers; the second flag fuses products and sums.
ASAN_O = -O1 -fexpensive-optimizations
# The generic kernels are built as wide as avx512 here, so that its shapes are tested everywhere.
ASAN = -fsanitize=address,undefined -fno-sanitize-recover=undefined -O1 -DKEN_GENERIC_WIDE \
       -Wno-psabi -Wno-maybe-uninitialized

fuzz: setup
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=$(BUILD)-fuzz CC=clang EXTRA="$(FUZZ)" build-fuzz
	@tools/fuzz $(BUILD)-fuzz $(SECONDS)

# The headers of this machine's libraries serve for ARM too, because nothing is linked here.
cross: setup
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=$(BUILD)-arm CC=aarch64-linux-gnu-gcc \
	    EXTRA="-march=armv8-a -idirafter /usr/include" $(BUILD)-arm/libken.a

$(BUILD)/obj/src/kernel/%.o: src/kernel/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(KERNEL_CFLAGS) -c $< -o $@

# One rule per instruction set: src/kernel/simd/x.c -> x.generic.o, x.avx2.o, x.avx512.o
define isa_rule
$(BUILD)/obj/src/kernel/simd/%.$(1).o: src/kernel/simd/%.c
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(KERNEL_CFLAGS) $$(CFLAGS_$(1)) -DKEN_ISA_$(1) -c $$< -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call isa_rule,$(isa))))

# A page becomes the string ken_page_NAME.
$(BUILD)/obj/web/page_%.o: web/%.html
	@mkdir -p $(@D)
	$(Q)(echo 'extern const char ken_page_$*[]; const char ken_page_$*[] ='; \
	    sed 's/\\/&&/g; s/"/\\"/g; s/.*/"&\\n"/' $<; echo ';') | \
	    $(CC) $(ALL_CFLAGS) -x c -c - -o $@

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/libken.a: $(LIB_OBJECTS)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(BUILD)/libken.so: $(LIB_OBJECTS)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,libken.so.$(ABI) -Wl,-z,defs $^ $(LIBS) -o $@
	@ln -sf libken.so $(BUILD)/libken.so.$(ABI)
$(BUILD)/ken: $(CLI_OBJECTS) $(BUILD)/libken.a
	$(Q)$(CC) $(ALL_CFLAGS) $^ $(LIBS) -ldl -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(HELP_OBJECTS) $(BUILD)/libken.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $^ -lcmocka -lopenblas $(LIBS) -o $@
$(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(BUILD)/libken.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $^ $(LIBS) -o $@

install: all
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(prefix)/lib/pkgconfig $(DESTDIR)$(prefix)/include
	install -m 755 $(BUILD)/ken $(DESTDIR)$(prefix)/bin/ken
	install -m 644 $(BUILD)/libken.a $(DESTDIR)$(prefix)/lib/libken.a
	install -m 755 $(BUILD)/libken.so $(DESTDIR)$(prefix)/lib/libken.so.$(ABI)
	ln -sf libken.so.$(ABI) $(DESTDIR)$(prefix)/lib/libken.so
	install -m 644 include/ken.h include/ken_task.h include/ken_run.h include/ken_look.h $(DESTDIR)$(prefix)/include
	sed 's|@prefix@|$(prefix)|' tools/ken.pc.in > $(DESTDIR)$(prefix)/lib/pkgconfig/ken.pc
	install -m 755 tools/get-data $(DESTDIR)$(prefix)/bin/ken-get-data
	@tools/install_share $(BUILD)/ken $(DESTDIR)$(prefix)/share
	@tools/linking_hint $(prefix)/lib "$(DESTDIR)"

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-fuzz $(BUILD)-arm

include fuzz/rules.mk tests/abi/rules.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
