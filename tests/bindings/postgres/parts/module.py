"""The shared object and the catalog: what is visible, and how functions are marked."""
import shutil
import subprocess

from parts.context import Context


def test_only_functions_of_sql_are_visible(t):
    if shutil.which("nm") is None:
        return
    listed = subprocess.run(["nm", "-D", "--defined-only", t.server.cluster.module], check=True, capture_output=True, text=True)
    visible = {line.split()[-1] for line in listed.stdout.splitlines()}
    functions = {name for (name,) in t.rows("select prosrc from pg_proc where probin = '$libdir/bloomery'")}
    assert len(functions) > 20
    assert visible == {"Pg_magic_func"} | functions | {"pg_finfo_" + name for name in functions}
    needed = subprocess.run(["ldd", t.server.cluster.module], check=True, capture_output=True, text=True).stdout
    assert "libbloomery" not in needed, needed


def test_marks_of_functions(t):
    rows = t.rows("""select p.oid::regprocedure::text, provolatile, proparallel, proisstrict from pg_proc p join pg_depend d
        on d.objid = p.oid and d.deptype = 'e' join pg_extension e on e.oid = d.refobjid where e.extname = 'bloomery'""")
    for name, volatile, parallel, strict in rows:
        assert parallel == "s", name
        assert volatile == ("s" if name.startswith(("bloom_formats", "bloom_version", "bloom_contains_sel")) else "i"), name
        takes_nulls = ("bloom_agg(", "bloom_agg_step", "bloom_agg_combine", "bloom_agg_final", "bloom_union_agg(",
                       "bloom_union_step")
        assert strict != name.startswith(takes_nulls), name
