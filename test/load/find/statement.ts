/** A statement as it is sent to PostgreSQL: one that has a name is prepared once on each connection. */
export type Statement = { name?: string; text: string; values: unknown[] }
