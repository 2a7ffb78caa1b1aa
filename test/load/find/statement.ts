/** A statement as sent to PostgreSQL. If it has a name, it is prepared once on each connection. */
export type Statement = { name?: string; text: string; values: unknown[] }
