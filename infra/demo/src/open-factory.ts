import type { Credentials } from '@despatch/standalone/credentials'
import { createLogger, type LogDestination } from '@despatch/telemetry/logger'
import type { SampleLetter } from './letters/sample-letters.ts'
import { createProductionLog } from './production-log.ts'
import { recogniseDocuments } from './recognise-documents.ts'
import type { Screen } from './screen/screen.ts'
import { startPrintFactory } from './users/print-factory.ts'
import type { Session } from './users/session.ts'

/** Starts the print factory, which treats each letter as the letter says, and shows on the screen what it does. */
export function openFactory({
  credentials,
  consumer,
  letters,
  factoryDirectory,
  log,
  screen,
}: {
  credentials: Credentials
  consumer: Session
  letters: readonly SampleLetter[]
  factoryDirectory: string
  log: LogDestination
  screen: Screen
}): Promise<AsyncDisposable> {
  const documents = recogniseDocuments(consumer, letters)
  const describe = createProductionLog(documents.nameOf)
  return startPrintFactory({
    baseUrl: credentials.baseUrl,
    credential: credentials.provider,
    directory: factoryDirectory,
    log: createLogger({ service: 'provider-simulator', destination: log }),
    outcomeOf: async (documentId) =>
      (await documents.find(documentId))?.onTheFloor ?? { outcome: 'print' },
    onEvent: (event) => {
      for (const text of describe(event)) screen.say('provider', text)
    },
  })
}
