import { randomBytes, randomUUID } from 'node:crypto'
import type { SearchHasher } from '@despatch/access/search-terms'
import type { StandardParams } from '@despatch/domain/print-job/params'
import type pg from 'pg'

const letters = {
  /** One letter in a hundred has each of these words, and one in ten this postcode. */
  commonFirstName: 'John',
  commonLastName: 'Smith',
  commonPostcode: 'SN99 9ZZ',
  rareName: 'Xanthippe Quill',
} as const

/** How the letter in the middle can be found. */
export type SearchedLetter = {
  reference: string
  correlationId: string
  postcode: string
} & typeof letters

const batch = 5_000
const days = 90

/** Fills `print_job` with despatched letters of the last 90 days, and `search_term` with their terms. */
export async function fillSearchedLetters(
  pool: pg.Pool,
  { count, hasher }: { count: number; hasher: SearchHasher },
): Promise<SearchedLetter> {
  const startMs = Date.now() - days * 86_400_000
  let middle: Letter | undefined
  for (let from = 0; from < count; from += batch) {
    const some = Array.from({ length: Math.min(batch, count - from) }, (_, index) =>
      makeLetter((from + index) / count, startMs, hasher),
    )
    if (!middle && from + batch > count / 2) {
      middle = makeLetter(0.5, startMs, hasher, `Ms ${letters.rareName}`)
      some.push(middle)
    }
    await pool.query(insertLetters, [JSON.stringify(some)])
  }
  await pool.query('vacuum analyze print_job')
  await pool.query('vacuum analyze search_term')
  const { correlationId, standardParams, postcode } = middle!
  return { ...letters, reference: standardParams.businessIdentifier!, correlationId, postcode }
}

type Letter = ReturnType<typeof makeLetter>

const isOnceIn = (times: number) => Math.random() * times < 1
const oneOf = (count: number) => Math.floor(Math.random() * count)
const lettersOfPostcodes = 'ABCDEFGHJKLNOPRSTUWY'

function makeLetter(part: number, startMs: number, hasher: SearchHasher, name?: string) {
  const first = isOnceIn(100) ? letters.commonFirstName : `First${oneOf(500)}`
  const last = isOnceIn(100) ? letters.commonLastName : `Last${oneOf(20_000)}`
  const postcode = name === undefined && isOnceIn(10) ? letters.commonPostcode : makePostcode()
  const standardParams: StandardParams = {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    businessIdentifier: `CASE-${randomBytes(6).toString('hex')}`,
    recipientName: name ?? `Mr ${first} ${last}`,
    address: {
      unstructuredAddress: { line1: `${oneOf(900)} Mill Lane`, line5: 'ANYTOWN', postcode },
    },
  }
  const at = Math.floor(startMs + part * days * 86_400_000)
  const time = at.toString(16).padStart(12, '0')
  const key = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
  const correlationId = randomUUID()
  const { businessIdentifier } = standardParams
  const { lasting, personal } = hasher.termsOf({
    ...{ key, correlationId, businessIdentifier },
    addressees: [standardParams],
  })
  return { key, correlationId, standardParams, postcode, lasting, personal }
}

function makePostcode(): string {
  const letter = () => lettersOfPostcodes[oneOf(20)]
  return `${letter()}${letter()}${oneOf(90) + 1} ${oneOf(10)}${letter()}${letter()}`
}

const insertLetters = `
  with input as (
    select * from json_to_recordset($1::json) as row (
      key uuid, "correlationId" text, "standardParams" jsonb, postcode text, lasting bigint, personal bigint[])
  ), job as (
    insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses, correlation_id,
      request_fingerprint, printable_address, document_sha256, document_bytes, document_pages, document_sheets,
      batch_number, document_id, despatched_at, search_terms)
    select key, contract.consumer_id, key, 'DESPATCHED', contract.id, "standardParams", '{DESPATCHED,REJECTED}',
      "correlationId", sha256(key::text::bytea), "standardParams" -> 'address' -> 'unstructuredAddress',
      sha256(key::text::bytea), 30000, 2, 1, 'R1', 'D1', now(), personal
    from input, contract where template_reference = 'LETTER'
  )
  insert into search_term (term, print_job_key) select unnest(personal || lasting), key from input`
