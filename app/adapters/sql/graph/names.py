"""The statements that find who is called by a name: constant, and one look into an index each."""

from typing import Any

from sqlalchemy import Select, Text, and_, bindparam, case, func, or_, select

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.fetch import Constant, one_of


def _knowing(*, on_postgres: bool) -> Select[Any]:
    a, e = d.entity_alias.c, d.entity.c
    return (
        select(
            a.key,
            a.normal_name,
            a.name,
            a.said,
            e.key.label("entity"),
            e.normal_name.label("full"),
            e.name.label("full_name"),
            e.type,
        )
        .join(d.entity, e.key == a.entity_key)
        .join(t.scope, t.scope.c.key == a.scope_key)
        .where(
            a.scope_key == bindparam("of_scope"),
            t.scope.c.tenant == bindparam("of_tenant"),
            one_of(a.normal_name, "names", on_postgres=on_postgres, of=Text),
        )
        .order_by(a.key)
    )


KNOWN = Constant(sqlite=_knowing(on_postgres=False), postgres=_knowing(on_postgres=True))


def _naming(*, on_postgres: bool) -> Select[Any]:
    """
    Of each name whom it means: whose fullest name it is, else who alone is called so.

    Of one row the greatest is what that row has.
    """
    a, e = d.entity_alias.c, d.entity.c
    full = e.normal_name == a.normal_name
    fully = func.count(case((full, e.key)))
    several = {
        "entity": func.coalesce(func.max(case((full, e.key))), func.max(e.key)),
        "mentions": func.coalesce(func.max(case((full, e.mentions))), func.max(e.mentions)),
    }
    return (
        select(*(column.label(name) for name, column in several.items()))
        .join(d.entity, e.key == a.entity_key)
        .join(t.scope, t.scope.c.key == a.scope_key)
        .where(
            one_of(a.scope_key, "of_scopes", on_postgres=on_postgres),
            t.scope.c.tenant == bindparam("of_tenant"),
            one_of(a.normal_name, "names", on_postgres=on_postgres, of=Text),
        )
        .group_by(a.normal_name)
        .having(or_(fully == 1, and_(fully == 0, func.count() == 1)))
    )


NAMED = Constant(sqlite=_naming(on_postgres=False), postgres=_naming(on_postgres=True))
