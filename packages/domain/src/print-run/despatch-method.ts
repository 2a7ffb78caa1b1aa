import { type DespatchMethod, despatchMethods } from '../print-job/params.ts'

/** The despatch methods of print runs: the consumer's despatch methods, and SECOND for a print job without one. */
export const printRunDespatchMethods = ['SECOND', ...despatchMethods] as const
export type PrintRunDespatchMethod = 'SECOND' | DespatchMethod
