import { askAboutRecords } from './ask-about-records.ts'
import { findRecordFaults } from './find-record-faults.ts'
import { importRecords } from './import-records.ts'
import { makeSampleRecords, type SampleRecords } from './records/sample-records.ts'
import type { Screen } from './screen/screen.ts'
import type { Session } from './users/session.ts'

export type RecordsReport = { records: SampleRecords; enquiryCount: number; faults: string[] }

/**
 * Runs the second part of the demo: imports records, enquires about them and reads the audit. Returns undefined if
 * there are records from elsewhere.
 */
export async function reportRecords({
  operator,
  consumer,
  screen,
  signal,
}: {
  operator: Session
  consumer: Session
  screen: Screen
  signal: AbortSignal
}): Promise<RecordsReport | undefined> {
  const records = makeSampleRecords()
  const { files } = records
  const isThere = await importRecords({ session: operator, files, screen, signal })
  if (!isThere) return undefined
  const answers = await askAboutRecords({ consumer, operator, records, screen })
  return {
    records,
    enquiryCount: answers.audit.length,
    faults: findRecordFaults(records, answers),
  }
}
