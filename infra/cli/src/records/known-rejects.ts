import type { RejectResponse, RejectsResponse } from '@despatch/contracts/administration/record-set'
import type { Session } from '../session.ts'

const rejectsPerPage = '100'

/**
 * The rejects of the rows that were read before this run, in their order. Asked for a span of rows at a time, since the
 * rows themselves are read again anyway: the file of rejects holds those of every run.
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

  /** Those up to a row, which have not been given yet. */
  return async (lastRow: number): Promise<RejectResponse[]> => {
    while (!isLast && (page.at(-1)?.row ?? 0) <= lastRow) await fetchPage()
    const wanted = page.filter(({ row }) => row <= lastRow)
    page = page.filter(({ row }) => row > lastRow)
    return wanted
  }
}
