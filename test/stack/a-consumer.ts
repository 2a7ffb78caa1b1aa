import { eventually } from '@despatch/testing/eventually'
import { aCaller, signedIn } from './a-caller.ts'
import { fetchPatiently } from './fetch-patiently.ts'
import type { Credential } from './start-despatch.ts'

/** An upstream system. It authenticates and calls the print job service. */
export type Consumer = {
  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Body }>
  /** For responses that are not JSON. Asks again while there is no time for them. */
  get(path: string): Promise<Response>
  /** Submits a print job, which must be accepted, and returns its id. */
  submit(body: unknown): Promise<string>
  upload(bytes: Uint8Array): Promise<string>
  /** Fetches content that is not JSON. Throws if the status is not 200. */
  download(path: string): Promise<{ contentType: string | null; bytes: Uint8Array }>
  /** Waits until the print job has the status, and returns the print job. */
  reached(id: string, status: string, deadlineMs?: number): Promise<Record<string, unknown>>
}

export async function aConsumer(baseUrl: string, credential: Credential): Promise<Consumer> {
  const headers = await signedIn(baseUrl, credential)
  const base = `${baseUrl}/print-request/v1/print/`
  const call: Consumer['call'] = aCaller(base, headers)
  const get: Consumer['get'] = (path) => fetchPatiently(`${base}${path}`, { headers })

  return {
    call,
    get,
    submit: async (body) => {
      const answer = await call<{ id: string }>('POST', 'jobs', body)
      if (answer.status !== 202) throw new Error(`Not accepted: ${JSON.stringify(answer)}`)
      return answer.body.id
    },
    upload: async (bytes) => {
      const { body } = await call<{ uploadId: string; url: string }>('GET', 'files/upload-url')
      const put = await fetch(body.url, { method: 'PUT', body: new Uint8Array(bytes) })
      if (put.status !== 200) throw new Error(`Not uploaded: ${put.status}`)
      return body.uploadId
    },
    download: async (path) => {
      const response = await get(path)
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      return { contentType: response.headers.get('content-type'), bytes: await response.bytes() }
    },
    reached: (id, status, deadlineMs = 120_000) =>
      eventually(
        async () => {
          const { body } = await call('GET', `jobs/${id}`)
          if (body.status !== status) throw new Error(`${id} is ${body.status}: ${body.comment}`)
          return body
        },
        // Poll slowly: many consumers of these tests are one consumer to the service, and share its usage plan.
        { deadlineMs, pollMs: 250, message: `the print job is ${status}` },
      ),
  }
}
