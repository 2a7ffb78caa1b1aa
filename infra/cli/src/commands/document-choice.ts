import { wrongUsage } from '../failure.ts'
import { type Call, type Described, sendCall } from '../operation-command.ts'

type Counted = { documentCount: number }

/**
 * Returns how a command describes documents that the server counts, at `/count` below the path of the operation, by
 * these members of its request. Once agreed, the request has the count, and the operation refuses more documents. With
 * `--yes` nothing is counted or expected.
 */
export function counted<Count extends Counted>(
  members: readonly string[],
  describe: (counted: Count) => string,
) {
  return async (_: object, call: Call): Promise<Described> => {
    const choice = Object.entries(call.members).filter(([name]) => members.includes(name))
    const request = { ...call, path: `${call.path}/count`, members: Object.fromEntries(choice) }
    const document = await sendCall<Count>(request)
    return {
      document,
      text: `${describe(document)} This cannot be undone.`,
      agreed: { expectedCount: document.documentCount },
    }
  }
}

/** Returns what a command gives, with the documents that it names, or all. Throws a Failure unless it is exactly one. */
export function chooseDocuments({ documentIds, ...given }: Naming) {
  if (documentIds.length > 0 === (given.all === true)) {
    throw wrongUsage('name the documents, or give --all')
  }
  return given.all ? given : { ...given, documentIds }
}

/** The arguments and options of a command that names documents. */
export type Naming = Readonly<Record<string, unknown>> & { documentIds: string[]; all?: true }
