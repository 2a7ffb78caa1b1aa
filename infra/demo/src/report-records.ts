import { askAboutRecords, type RecordAnswers } from './ask-about-records.ts'
import { importByCommandLine, importRecords } from './import-records.ts'
import { makeSampleRecords, type SampleRecords } from './records/sample-records.ts'
import type { Screen } from './screen/screen.ts'
import type { Session } from './users/session.ts'

export type RecordsReport = { made: SampleRecords; answers: RecordAnswers }

/**
 * Runs the second part of the demo: imports records, enquires about them and reads the audit. Returns undefined if
 * there are records from elsewhere.
 */
export async function reportRecords({
  operator,
  consumer,
  dataDirectory,
  screen,
  signal,
}: {
  operator: Session
  consumer: Session
  dataDirectory: string
  screen: Screen
  signal: AbortSignal
}): Promise<RecordsReport | undefined> {
  const made = makeSampleRecords()
  const isThere = await importRecords({
    session: operator,
    files: made.files,
    screen,
    importFile: (file) => importByCommandLine(file, { dataDirectory, signal }),
  })
  if (!isThere) return undefined
  return { made, answers: await askAboutRecords({ consumer, operator, records: made, screen }) }
}
