"""SQL, the truth: SQLite through aiosqlite, PostgreSQL through asyncpg, the same DAOs."""
