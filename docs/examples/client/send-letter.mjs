// Sends a PDF as a letter, and waits until it is despatched or rejected: node send-letter.mjs letter.pdf
import { readFile } from 'node:fs/promises'
import { ConsumerClient, DespatchError } from '@despatch/client'

const { DESPATCH_URL = 'http://127.0.0.1:8080', DESPATCH_USER = '' } = process.env
const { DESPATCH_PASSWORD = '', DESPATCH_API_KEY = '' } = process.env

const despatch = new ConsumerClient({
  baseUrl: DESPATCH_URL,
  userName: DESPATCH_USER,
  password: DESPATCH_PASSWORD,
  apiKey: DESPATCH_API_KEY,
})

try {
  const letter = await readFile(process.argv[2] ?? 'letter.pdf')
  const uploadId = await despatch.uploadFile(letter, {
    contentType: 'application/pdf',
    onProgress: ({ sentBytes, totalBytes }) => console.error(`${sentBytes} of ${totalBytes} bytes`),
  })
  const id = await despatch.submitPrintJob({
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: 'Ms Ada Example',
      address: {
        unstructuredAddress: { line1: '1 High Street', line5: 'Anytown', postcode: 'AB1 2CD' },
      },
    },
    fileParams: [{ fileId: 'letter', uploadId }],
  })
  const job = await despatch.waitForStatus(id, { timeoutMs: 5 * 60_000 })
  console.log(job.id, job.status, job.comment ?? '')
} catch (error) {
  if (!(error instanceof DespatchError)) throw error
  console.error(error.message, error.code ?? error.kind, error.correlationId ?? '')
  process.exitCode = 1
}
