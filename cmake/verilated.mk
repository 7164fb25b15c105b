# Builds a verilated model: make -C DIR -f .../verilated.mk MODEL=Vname RTL_CXXFLAGS="..." model.a
#
# Half of the time of a build goes into reading headers and into code that runs once. So the many small files are compiled
# several at a time, and the optimiser works on what every cycle runs: not on set-up, not on handing values to a waveform.
# Verilator's own rules compile one file at a time; current ones would clash with those of this file.
VM_DEFAULT_RULES := 0
include $(MODEL).mk

# No built-in rules: from them and the rules of units below, make would try to renew the dependency files it includes.
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:

SLOW_UNITS := 0 1 2
PACKAGE_UNITS := 0 1 2 3
classes := $(VM_CLASSES_FAST) $(VM_SUPPORT_FAST) $(VM_GLOBAL_FAST)
traces := $(filter $(MODEL)__Trace%,$(classes))
packages := $(foreach class,$(classes),$(if $(findstring _pkg,$(class:$(MODEL)%=%)),$(class)))
rest := $(filter-out $(traces) $(packages),$(filter $(MODEL)%,$(classes)))
slow := $(filter $(MODEL)%,$(VM_CLASSES_SLOW) $(VM_SUPPORT_SLOW))

# $(call share,LIST,UNITS,UNIT): every so-manieth of the list
share = $(shell printf '%s\n' $(1) | awk 'NR % $(words $(2)) == $(3)')

objects := $(traces:=.o) $(rest:=.o) $(PACKAGE_UNITS:%=unit_package_%.o) $(SLOW_UNITS:%=unit_slow_%.o)

model.a: $(objects)
	rm -f $@
	ar -rcs $@ $^

flags := $(RTL_CXXFLAGS)
$(traces:=.o): flags := -O1 -fPIC -w
$(SLOW_UNITS:%=unit_slow_%.o): flags := -O0 -fPIC -w
# Other options than last time: everything anew.
$(shell [ "$$(cat flags.txt 2>&1)" = '$(RTL_CXXFLAGS)' ] || printf '%s\n' '$(RTL_CXXFLAGS)' >flags.txt)
$(objects): %.o: %.cpp flags.txt
	$(OBJCACHE) $(CXX) $(CXXFLAGS) $(CPPFLAGS) $(flags) -c -o $@ $<

$(PACKAGE_UNITS:%=unit_package_%.cpp): unit_package_%.cpp: $(MODEL)_classes.mk
	for class in $(call share,$(packages),$(PACKAGE_UNITS),$*); do echo "#include \"$$class.cpp\""; done > $@
$(SLOW_UNITS:%=unit_slow_%.cpp): unit_slow_%.cpp: $(MODEL)_classes.mk
	for class in $(call share,$(slow),$(SLOW_UNITS),$*); do echo "#include \"$$class.cpp\""; done > $@
