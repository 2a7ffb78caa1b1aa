import { mayCall, parseRange } from '@despatch/domain/callback/may-call'
import { shared } from '@despatch/testing/shared'
import { beforeEach, expect, test } from 'vitest'
import { startReceivers } from './receivers.ts'

const receivers = await shared(startReceivers())
let connections: number

const port = await receivers.serveTcp((socket) => {
  connections += 1
  socket.destroy()
})
// Every name resolves to this machine, so a host that was not recognised as an address ends here too.
const post = receivers.outboundTo({
  allowed: [],
  resolve: async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
    { address: '::ffff:127.0.0.1', family: 6 },
  ],
})

beforeEach(() => {
  connections = 0
})

/** Loopback in the spellings that some parser reads as an address. `mayCall` is not asked before. */
const hosts = [
  '127.0.0.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0.0.0.0',
  '0',
  '[::]',
  '[::1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '169.254.169.254',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  'rebound.example',
]

test.for(hosts)('refuses to connect to %s', async (host) => {
  const answer = await post(new URL(`http://${host}:${port}/`).origin)

  expect(answer).toEqual({
    result: { kind: 'unreached' },
    outcome: 'blocked_address',
    failure: 'ForbiddenAddress',
  })
  expect(connections).toBe(0)
})

test.for(['169.254.169.254', '168.63.129.16', '[fd00:ec2::254]', 'metadata.google.internal'])(
  'refuses to connect to %s, with any allowed ranges',
  async (host) => {
    const allowed = ['0.0.0.0/0', '::/0'].map((range) => parseRange(range)!)
    const resolve = async () => [{ address: '169.254.169.254', family: 4 }]
    const origin = `http://${host}:${port}`

    const answer = await receivers.outboundTo({ allowed, resolve })(origin)

    expect(answer.outcome).toBe('blocked_address')
    expect(mayCall(origin, allowed)).toEqual({ kind: 'refuse', reason: 'address' })
  },
)

test('the receiver of this test notices a connection', async () => {
  const open = receivers.outboundTo()

  await open(`http://127.0.0.1:${port}`)

  expect(connections).toBe(1)
})
