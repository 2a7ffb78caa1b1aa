import type { FuzzRequest } from './make-request.ts'

const triesMax = 80

/** Removes the parts of a request that are not needed to reproduce the same fault, one by one. */
export async function minimise(
  request: FuzzRequest,
  hasFault: (smaller: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let smallest = request
  let tries = 0
  let isSmaller = true
  while (isSmaller) {
    isSmaller = false
    for (const candidate of smallerThan(smallest)) {
      tries += 1
      if (tries > triesMax) return smallest
      if (!(await hasFault(candidate))) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

function* smallerThan(request: FuzzRequest): Generator<FuzzRequest> {
  const { headers, query, body, isSpoiltAsBytes } = request
  for (const name of Object.keys(headers)) {
    if (name === 'content-type' && body) continue
    const { [name]: _, ...others } = headers
    yield { ...request, headers: others }
  }
  for (const index of query.keys()) yield { ...request, query: query.toSpliced(index, 1) }
  if (!body || isSpoiltAsBytes || body.length === 0) return
  for (const smaller of smallerValues(readJson(body))) {
    yield { ...request, body: Buffer.from(JSON.stringify(smaller)) }
  }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    yield Array.isArray(value)
      ? value.toSpliced(Number(key), 1)
      : Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
    for (const smaller of smallerValues(member)) {
      yield Array.isArray(value) ? value.with(Number(key), smaller) : { ...value, [key]: smaller }
    }
  }
}
