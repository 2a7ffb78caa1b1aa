import type {
  ListedPrintJobsResponse,
  ListPrintJobsRequest,
} from '@despatch/contracts/administration/print-job'
import { Failure } from '../failure.ts'
import type { Session } from '../session.ts'

const keyPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Returns the key of a print job that is given by its key or by its consumer's id. Throws a Failure if there is none,
 * or if several consumers have one with that id.
 */
export async function findPrintJobKey({ send }: Session, job: string): Promise<string> {
  const request: ListPrintJobsRequest = { find: job }
  const { printJobs } = await send<ListedPrintJobsResponse>('POST', '/print-jobs/search', request)
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const meant = printJobs.filter(({ printJobKey, id }) => same(printJobKey, job) || id === job)
  if (meant.length > 1) throw ambiguous(job, meant)
  const [found] = meant
  if (found) return found.printJobKey
  if (keyPattern.test(job)) return job.toLowerCase()
  throw new Failure(`there is no print job ${job}`, { exitCode: 1 })
}

function ambiguous(job: string, meant: ListedPrintJobsResponse['printJobs']): Failure {
  const choices = meant.map(({ printJobKey, userName }) => `${printJobKey} of ${userName}`)
  return new Failure(
    `several consumers have a print job ${job}; give its key: ${choices.join(', ')}`,
    { exitCode: 1 },
  )
}
