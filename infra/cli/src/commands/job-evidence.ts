import type { Command } from 'commander'
import { Failure } from '../failure.ts'
import { findPrintJobKey } from '../jobs/find-print-job-key.ts'
import type { Parts } from '../program.ts'
import { saveFile } from '../save-file.ts'

type EvidenceOptions = { out: string; force?: boolean }

/** Adds `jobs evidence`: everything that is known of a print job, as a ZIP. */
export function addJobEvidence(jobs: Command, { run, context }: Parts): void {
  jobs
    .command('evidence <job>')
    .description('saves the complete record of a print job as a ZIP, for an auditor or a complaint')
    .requiredOption('--out <file>', 'file to write, readable only by you')
    .option('--force', 'overwrite an existing file')
    .addHelpText('after', helpAboutEvidence)
    .action((job: string, { out, force = false }: EvidenceOptions) =>
      run(async (session) => {
        const printJobKey = await findPrintJobKey(session, job)
        const interrupted = new AbortController()
        const stopListening = context.onInterrupt(() => interrupted.abort(whenInterrupted()))
        const path = `/print-jobs/${printJobKey}/evidence.zip`
        const content = () => session.receive(path, interrupted.signal)
        const { bytes, sha256 } = await saveFile(out, content, { force }).finally(stopListening)
        return {
          document: { printJobKey, file: out, bytes, sha256 },
          text: `The evidence is in ${out}. Start with its README.txt.`,
        }
      }),
    )
}

function whenInterrupted(): Failure {
  return new Failure('interrupted: nothing was saved', { exitCode: 130 })
}

const helpAboutEvidence = `
The ZIP holds the letter and its address. The audit trail records who exported it.`
