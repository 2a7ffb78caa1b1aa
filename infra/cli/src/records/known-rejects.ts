import type { RejectResponse, RejectsResponse } from '@despatch/contracts/administration/record-set'
import type { Session } from '../session.ts'

const rejectsPerPage = '100'

/**
 * Returns a function that reads the rejects of earlier runs, in order, because the file of rejects contains those of
 * every run. It is called with a span of rows at a time, as the rows themselves are read again.
 */
export function knownRejects({ send }: Session, recordSetId: string) {
  let page: RejectResponse[] = []
  let cursor: string | undefined
  let isLast = false

  async function fetchPage(): Promise<void> {
    const query = new URLSearchParams({ limit: rejectsPerPage, ...(cursor && { cursor }) })
    const path = `/record-sets/${recordSetId}/rejects?${query}`
    const { rejects, nextCursor } = await send<RejectsResponse>('GET', path)
    page.push(...rejects)
    cursor = nextCursor
    isLast = nextCursor === undefined
  }

  /** Returns the rejects up to a row that have not been returned yet. */
  return async (lastRow: number): Promise<RejectResponse[]> => {
    while (!isLast && (page.at(-1)?.row ?? 0) <= lastRow) await fetchPage()
    const wanted = page.filter(({ row }) => row <= lastRow)
    page = page.filter(({ row }) => row > lastRow)
    return wanted
  }
}
