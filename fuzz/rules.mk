# rules.mk - how the targets of `make fuzz` are built. Reading needs no kernels, so only the readers of
# files are built again, with clang.
FUZZ      = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -O1
SECONDS  ?= 60
FUZZ_BINS := $(patsubst fuzz/%.c,$(BUILD)/fuzz/%,$(filter-out fuzz/fuzz_file.c,$(wildcard fuzz/*.c)))
READERS   := $(wildcard src/base/*.c src/unit/*.c src/chem/*.c src/format/*.c src/made/*.c src/model/safetensors*.c src/model/words.c src/recipe/*.c)

build-fuzz: $(FUZZ_BINS)

$(BUILD)/fuzz/%: $(BUILD)/obj/fuzz/%.o $(BUILD)/obj/fuzz/fuzz_file.o $(READERS:%.c=$(BUILD)/obj/%.o)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
