import { expect, test } from 'vitest'
import { fieldFaults } from '../field-faults.ts'
import {
  createdSigningSecretSchema,
  createSigningSecretSchema,
  maskSecrets,
  signingSecretsSchema,
} from './signing-secret.ts'

const id = '01890000-0000-7000-8000-000000000001'
const createdAt = new Date('2026-03-04T05:06:07Z')
const expiresAt = new Date('2026-03-05T05:06:07Z')
const told = { secretId: id, createdAt: '2026-03-04T05:06:07.000Z' }

test('a secret is returned once, and masked afterwards', () => {
  const secret = { secretId: id, createdAt, expiresAt: null }
  const created = createdSigningSecretSchema.decode({ ...secret, secret: 'whsec_abc' })
  const signingSecrets = maskSecrets([{ ...secret, expiresAt }])
  const listed = signingSecretsSchema.decode({ signingSecrets }).signingSecrets[0]

  expect(created).toEqual({ ...told, secret: 'whsec_abc' })
  expect(listed).toEqual({
    ...told,
    expiresAt: '2026-03-05T05:06:07.000Z',
    secret: 'whsec_********',
  })
})

test.each([
  [undefined, { overlapSeconds: 86_400 }],
  [null, { overlapSeconds: 86_400 }],
  [{}, { overlapSeconds: 86_400 }],
  [{ overlapSeconds: 0 }, { overlapSeconds: 0 }],
  [{ overlapSeconds: 2_592_000 }, { overlapSeconds: 2_592_000 }],
])('reads %j as %j', (body, expected) => {
  expect(createSigningSecretSchema.parse(body)).toEqual(expected)
})

test.each([
  [{ overlapSeconds: -1 }, 'Min'],
  [{ overlapSeconds: 2_592_001 }, 'Max'],
  [{ overlapSeconds: 0.5 }, 'TypeMismatch'],
  [{ overlapSeconds: '60' }, 'TypeMismatch'],
  [{ overlapSeconds: null }, 'NotNull'],
])('refuses %j: %s', (body, code) => {
  const result = createSigningSecretSchema.safeParse(body)

  expect(fieldFaults(result.error?.issues ?? [], body)).toMatchObject([
    { field: 'overlapSeconds', code },
  ])
})
