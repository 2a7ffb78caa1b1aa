import { type DespatchMethod, despatchMethods } from '../print-job/params.ts'

/** How the documents of a print run leave: the consumer's despatch methods, and SECOND for a job that names none. */
export const printRunDespatchMethods = ['SECOND', ...despatchMethods] as const
export type PrintRunDespatchMethod = 'SECOND' | DespatchMethod
