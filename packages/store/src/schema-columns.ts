import type { ColumnType, JSONColumnType } from 'kysely'

export type Json<T> = JSONColumnType<T & object, string, string>
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>
export type Timestamp = ColumnType<Date, Date | undefined, Date>
export type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
/** A calendar day as YYYY-MM-DD. */
export type Day = string
