# rules.mk - programs that see another header than the library does (docs/ABI.md). `old` is the header
# as it was frozen, `grown` that of a later version: old programs run with today's library and with
# one whose structs have grown; of the latter only the files that see such a struct are compiled.
ABI_OLD   = -I$(BUILD)/abi/old
ABI_GROWN = -I$(BUILD)/abi/grown
ABI_GROWN_HEADERS := $(patsubst include/%,$(BUILD)/abi/grown/%,$(wildcard include/*.h))
ABI_OBJECTS := $(patsubst src/%.c,$(BUILD)/abi/obj/%.o,$(wildcard src/model/*.c src/infer/*.c src/train/*.c))
ABI_BINS := $(addprefix $(BUILD)/abi/,old_program old_program_grown newer_program layout_old layout_new)

build-tests: $(ABI_BINS)

$(BUILD)/abi/old/ken.h: tests/abi/ken_0_2.h
	@mkdir -p $(@D)
	@cp $< $@
$(BUILD)/abi/grown/%.h: include/%.h tests/abi/grow
	@mkdir -p $(@D)
	@tests/abi/grow $< >$@
$(BUILD)/abi/layout.c: tests/abi/ken_0_2.h tests/abi/layout
	@mkdir -p $(@D)
	@tests/abi/layout $< >$@
$(BUILD)/abi/obj/%.o: src/%.c $(ABI_GROWN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ABI_GROWN) $(ALL_CFLAGS) -O0 -c $< -o $@

$(BUILD)/abi/old_program: tests/abi/old_program.c $(BUILD)/abi/old/ken.h $(BUILD)/libken.so
	$(Q)$(CC) $(ABI_OLD) $(ALL_CFLAGS) $< -L$(BUILD) -lken -lm -o $@
$(BUILD)/abi/old_program_grown: tests/abi/old_program.c $(BUILD)/abi/old/ken.h $(ABI_OBJECTS) $(BUILD)/libken.a
	$(Q)$(CC) $(ABI_OLD) $(ALL_CFLAGS) $< $(ABI_OBJECTS) $(BUILD)/libken.a $(LIBS) -o $@
$(BUILD)/abi/newer_program: tests/abi/newer_program.c $(ABI_GROWN_HEADERS) $(BUILD)/libken.so
	$(Q)$(CC) $(ABI_GROWN) $(ALL_CFLAGS) $< -L$(BUILD) -lken -lm -o $@
$(BUILD)/abi/layout_old: $(BUILD)/abi/layout.c $(BUILD)/abi/old/ken.h
	$(Q)$(CC) $(ABI_OLD) $(ALL_CFLAGS) $< -o $@
$(BUILD)/abi/layout_new: $(BUILD)/abi/layout.c $(wildcard include/*.h)
	$(Q)$(CC) $(ALL_CFLAGS) $< -o $@
