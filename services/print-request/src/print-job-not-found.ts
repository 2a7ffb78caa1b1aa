import { Problem } from '@despatch/domain/problem'

/** Another consumer's print job reads the same as one that never was. */
export function printJobNotFound(jobId: string): Problem {
  return new Problem('print-job-not-found', `There is no print job with the identifier ${jobId}.`)
}
