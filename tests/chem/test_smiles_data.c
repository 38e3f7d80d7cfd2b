/* test_smiles_data.c - the molecules of Tox21 and of Delaney's solubilities have the atoms, bonds,
 * rings and hydrogens that RDKit counts (tests/golden/smiles.txt, made by tools/oracle_smiles).
 * Without the data (KEN_DATA) its cases are skipped. */
#include "chem/smiles.h"

#include "base/io.h"
#include "base/memory.h"
#include "tests/corpora.h"
#include "tests/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 24, MOST_LINE = 256, TOTALS = 6 };

/* ---- As much of CSV as these files have ------------------------------------------------------ */

/* The next field of a line, without its quotes; *line moves past it, and becomes NULL after the
 * last field. A quoted field must not contain doubled quotes; SMILES have none. */
static const char *next_field(const char **line, size_t *length)
{
    const char *field = *line, *end;
    if (*field == '"') {
        end = strchr(++field, '"');
        assert_non_null(end);
        *length = (size_t)(end++ - field);
    } else {
        end = field + strcspn(field, ",\n\r");
        *length = (size_t)(end - field);
    }
    *line = *end == ',' ? end + 1 : NULL;
    return field;
}

/* Field *column or, if `name` is given, the first field with that name, whose number *column
 * receives. */
static const char *find_field(const char *line, size_t *column, const char *name, size_t *length)
{
    for (size_t i = 0; line; i++) {
        const char *field = next_field(&line, length);
        if (name ? strncmp(field, name, *length) == 0 && strlen(name) == *length : i == *column) {
            *column = i;
            return field;
        }
    }
    fail_msg("a field is missing");
    return NULL;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static uint64_t fnv(uint64_t hash, const char *text)
{
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

struct figures {
    size_t molecules, totals[TOTALS]; /* atoms bonds rings hydrogens aromatic-atoms ring-atoms */
    uint64_t counts, atoms;           /* hashes of the lines of molecules and of atoms         */
};

static void count_molecule(struct figures *figures, const ken_molecule *molecule)
{
    char line[MOST_LINE];
    size_t numbers[TOTALS] = { molecule->atom_count, molecule->bond_count, molecule->ring_count };
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const struct ken_atom *atom = &molecule->atoms[i];
        numbers[3] += atom->hydrogens;
        numbers[4] += atom->aromatic;
        numbers[5] += atom->in_ring;
        snprintf(line, sizeof line, "%d %d %d %d %d %d\n", atom->element, atom->isotope,
                 atom->charge, atom->hydrogens, atom->aromatic, atom->ring);
        figures->atoms = fnv(figures->atoms, line);
    }
    snprintf(line, sizeof line, "%zu %zu %zu %zu\n", numbers[0], numbers[1], numbers[2],
             numbers[3]);
    figures->counts = fnv(figures->counts, line);
    for (size_t i = 0; i < TOTALS; i++) figures->totals[i] += numbers[i];
    figures->molecules++;
}

static struct figures count_file(const char *path)
{
    struct figures figures = { .counts = UINT64_C(0xcbf29ce484222325),
                               .atoms = UINT64_C(0xcbf29ce484222325) };
    ken_molecule molecule = { 0 };
    size_t size, length, column = 0;
    char *data;
    if (ken_file_read(&data, &size, path, MOST_BYTES)) fail_msg("%s", ken_last_error());
    find_field(data, &column, "smiles", &length);
    for (const char *line = strchr(data, '\n'); line && line[1]; line = strchr(line, '\n')) {
        const char *text = find_field(++line, &column, NULL, &length);
        if (ken_smiles_read(&molecule, text, length))
            fail_msg("%s: %.*s: %s", path, (int)length, text, ken_last_error());
        count_molecule(&figures, &molecule);
    }
    ken_molecule_release(&molecule);
    ken_memory_free(data);
    return figures;
}

static void as_rdkit_counts(void **state)
{
    (void)state;
    char *golden, name[MOST_LINE];
    size_t size, files = 0;
    int used;
    if (ken_file_read(&golden, &size, "tests/golden/smiles.txt", MOST_BYTES))
        fail_msg("%s", ken_last_error());
    for (const char *at = golden; sscanf(at, "%255s%n", name, &used) == 1; files++) {
        struct figures wanted, found;
        size_t *totals = wanted.totals;
        at += used;
        assert_int_equal(sscanf(at, "%zu %zu %zu %zu %zu %zu %zu %" SCNx64 " %" SCNx64 "%n",
                                &wanted.molecules, &totals[0], &totals[1], &totals[2], &totals[3],
                                &totals[4], &totals[5], &wanted.counts, &wanted.atoms, &used),
                         9);
        at += used;
        const char *path = data_path(name);
        if (!path) continue;
        found = count_file(path);
        assert_int_equal(found.molecules, wanted.molecules);
        for (size_t i = 0; i < TOTALS; i++) assert_int_equal(found.totals[i], totals[i]);
        assert_int_equal(found.counts, wanted.counts);
        assert_int_equal(found.atoms, wanted.atoms);
    }
    assert_int_equal(files, 2);
    ken_memory_free(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_rdkit_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
