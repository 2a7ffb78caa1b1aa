import { describe, expect, test } from 'vitest'
import {
  type CallDecision,
  mayCall,
  mayConnect,
  parseRange,
  type RefusalReason,
  renderRange,
} from './may-call.ts'
import { metadataAddresses } from './metadata-hosts.ts'

const call = (origin: string, path: string): CallDecision => ({ kind: 'call', origin, path })
const refuse = (reason: RefusalReason): CallDecision => ({ kind: 'refuse', reason })

/** The port of a connection where it does not matter. */
const port = 443
const allow = (...ranges: string[]) => ranges.map((range) => parseRange(range)!)

const targets: [target: string, decision: CallDecision][] = [
  ['https://example.com/status', call('https://example.com', '/status')],
  ['http://example.com', call('http://example.com', '/')],
  ['https://example.com:8443/a', call('https://example.com:8443', '/a')],
  ['https://8.8.8.8/a', call('https://8.8.8.8', '/a')],
  ['https://[2606:4700::1111]/a', call('https://[2606:4700::1111]', '/a')],
  ['not an address', refuse('unreadable')],
  ['https://', refuse('unreadable')],
  ['ftp://example.com/a', refuse('scheme')],
  ['file:///etc/passwd', refuse('scheme')],
  ['javascript:alert(1)', refuse('scheme')],
  ['https://user@example.com/', refuse('credentials')],
  ['https://user:password@example.com/', refuse('credentials')],
  ['https://:password@example.com/', refuse('credentials')],
  ['https://example.com@127.0.0.1/', refuse('credentials')],
  ['http://127.0.0.1/', refuse('address')],
  ['http://127.1/', refuse('address')],
  ['http://2130706433/', refuse('address')],
  ['http://0x7f.1/', refuse('address')],
  ['http://0177.0.0.1/', refuse('address')],
  ['http://①②⑦.0.0.1/', refuse('address')],
  ['http://127.0.0.1./', refuse('address')],
  ['http://169.254.169.254/latest/meta-data', refuse('address')],
  ['http://[::1]/', refuse('address')],
  ['http://[::127.0.0.1]/', refuse('address')],
  ['http://[::ffff:10.0.0.1]/', refuse('address')],
  ['http://[fd00:ec2::254]/', refuse('address')],
  ['http://168.63.129.16/', refuse('address')],
  ['http://metadata.google.internal/', refuse('address')],
  ['http://METADATA.google.internal./', refuse('address')],
  ['http://metadata/', refuse('address')],
  ['https://metadata.example/', call('https://metadata.example', '/')],
  ['http://[::ffff:8.8.8.8]/', refuse('address')],
  ['http://[64:ff9b::7f00:1]/', refuse('address')],
  ['http://[2002:7f00:1::]/', refuse('address')],
  ['http://127。0。0。1/', refuse('address')],
  ['http://0/', refuse('address')],
  ['http://localhost/', refuse('address')],
  ['https://LOCALHOST:8443/', refuse('address')],
  ['http://localhost./', refuse('address')],
  ['http://a.localhost/', refuse('address')],
  ['http://a.b.localhost./', refuse('address')],
  ['http://ｌocalhost/', refuse('address')],
  ['http://a。localhost/', refuse('address')],
  ['https://localhost.example.com/a', call('https://localhost.example.com', '/a')],
  ['https://notlocalhost/a', call('https://notlocalhost', '/a')],
  ['https://example.com./a', call('https://example.com.', '/a')],
  ['https://example。com/a', call('https://example.com', '/a')],
  ['https://EXÄMPLE.com/a', call('https://xn--exmple-cua.com', '/a')],
  ['  https://example.com/a\n', call('https://example.com', '/a')],
  ['https:\\\\example.com\\a', call('https://example.com', '/a')],
  ['https:///example.com/a', call('https://example.com', '/a')],
  ['https://1.2.3.4.5/', refuse('unreadable')],
  ['https://256.0.0.1/', refuse('unreadable')],
  ['https://8.8.2056/a', call('https://8.8.8.8', '/a')],
  ['http://10.0.0.0x1/', refuse('address')],
  ['https://1.2.3.example/a', call('https://1.2.3.example', '/a')],
  ['https://1.2.3.4e/a', call('https://1.2.3.4e', '/a')],
  ['http://localhost../', refuse('unreadable')],
  ['https://./', refuse('unreadable')],
  ['https://a..example/', refuse('unreadable')],
  [`https://${'a'.repeat(63)}.example/`, call(`https://${'a'.repeat(63)}.example`, '/')],
  [`https://${'a'.repeat(64)}.example/`, refuse('unreadable')],
  [`https://${'ab.'.repeat(84)}c/`, call(`https://${'ab.'.repeat(84)}c`, '/')],
  [`https://${'ab.'.repeat(84)}c./`, call(`https://${'ab.'.repeat(84)}c.`, '/')],
  [`https://${'ab.'.repeat(84)}cd./`, refuse('unreadable')],
  [`https://${'ab.'.repeat(1_000)}c/`, refuse('unreadable')],
  ['https://[fe80::1%25eth0]/', refuse('unreadable')],
  ['https://exa%6Dple.com/a', call('https://example.com', '/a')],
  ['http://%31%32%37.0.0.1/', refuse('address')],
]

test.for(targets)('%s: %j', ([target, decision]) => {
  expect(mayCall(target, [])).toEqual(decision)
})

const ports: [port: number, may: boolean][] = [
  [0, false],
  [22, false],
  [25, false],
  [79, false],
  [80, true],
  [443, true],
  [445, false],
  [1023, false],
  [1024, true],
  [1719, false],
  [2049, false],
  [4190, false],
  [5061, false],
  [5432, true],
  [6000, false],
  [6664, true],
  [6665, false],
  [6669, false],
  [6679, false],
  [8080, true],
  [8443, true],
  [10080, false],
  [65535, true],
]

test.for(ports)('may call a target on port %i: %s', ([port, may]) => {
  const wanted = (origin: string) => (may ? call(origin, '/') : refuse('port'))
  const shown = (own: number) => (port === own ? '' : `:${port}`)

  expect(mayCall(`http://example.com:${port}`, [])).toEqual(
    wanted(`http://example.com${shown(80)}`),
  )
  expect(mayCall(`https://example.com:${port}`, [])).toEqual(
    wanted(`https://example.com${shown(443)}`),
  )
})

test('may call names of this machine when the address is allowed', () => {
  expect(mayCall('http://localhost:3000/', allow('127.0.0.0/8'))).toEqual(
    call('http://localhost:3000', '/'),
  )
  expect(mayCall('http://a.localhost./', allow('::1/128'))).toEqual(
    call('http://a.localhost.', '/'),
  )
  expect(mayCall('http://localhost/', allow('10.0.0.0/8'))).toEqual(refuse('address'))
})

const ranges: [text: string, isRange: boolean][] = [
  ['10.0.0.0/8', true],
  ['::1/128', true],
  ['10.0.0.0/8:8443', true],
  ['fd00::/8:80', true],
  ['10.0.0.0/8:1', true],
  ['10.0.0.0/8:65535', true],
  ['10.0.0.0/8:', false],
  ['10.0.0.0/8:0', false],
  ['10.0.0.0/8:65536', false],
  ['10.0.0.0:80', false],
  ['10.0.0.0', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/8:80:80', false],
  ['localhost/8', false],
  ['', false],
]

test.for(ranges)('%j is a valid range: %s', ([text, isRange]) => {
  const range = parseRange(text)

  expect(range && renderRange(range)).toBe(isRange ? text : undefined)
})

const queries: [target: string, path: string][] = [
  ['https://example.com/s?token=a.b-c_d', '/s?token=a.b-c_d'],
  ["https://example.com/s?token='%41%zz|{}\\^`&&=?", "/s?token='%41%zz|{}\\^`&&=?"],
  ['https://example.com?token=x', '/?token=x'],
  ['https://example.com/s?', '/s?'],
  ['https://example.com/s?a=/../b', '/s?a=/../b'],
  ['https://example.com/s?a#part?b', '/s?a'],
  ['https://example.com/s#part?b', '/s'],
  ['https://example.com/s?a=é b', '/s?a=%C3%A9%20b'],
]

test.for(queries)('%s is called with the path %s', ([target, path]) => {
  expect(mayCall(target, [])).toEqual(call('https://example.com', path))
})

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '192.167.255.255',
  '198.17.255.255',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700::1111',
  '2a00:1450::1',
  '3ffe::1',
]

const refusedAddresses = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '::808:808',
  '::ffff:0:808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2f:ffff::1',
  '2002:808:808::1',
  '2002:7f00:1::',
  '3fff::1',
  '3fff:fff::1',
  '4000::1',
  '1fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '',
  'localhost',
  '1.2.3.4.5',
]

describe('a connection', () => {
  test.for(publicAddresses)('may be made to %s', (address) => {
    expect(mayConnect({ address, port }, [])).toBe(true)
  })

  test.for(refusedAddresses)('may not be made to %j', (address) => {
    expect(mayConnect({ address, port }, [])).toBe(false)
  })

  test('may be made only to allowed addresses', () => {
    const allowed = allow('127.0.0.0/8', '::1/128')

    expect(mayConnect({ address: '127.0.0.1', port }, allowed)).toBe(true)
    expect(mayConnect({ address: '::1', port }, allowed)).toBe(true)
    expect(mayCall('http://127.0.0.1:3000/a', allowed)).toEqual(call('http://127.0.0.1:3000', '/a'))
    expect(mayConnect({ address: '10.0.0.1', port }, allowed)).toBe(false)
    expect(mayConnect({ address: '::ffff:127.0.0.1', port }, allowed)).toBe(false)
  })

  test('may be made only to the port of an allowed range', () => {
    const allowed = allow('10.0.0.0/8:8443')

    expect(mayConnect({ address: '10.0.0.1', port: 8443 }, allowed)).toBe(true)
    expect(mayConnect({ address: '10.0.0.1', port: 8080 }, allowed)).toBe(false)
    expect(mayCall('https://10.0.0.1:8443/', allowed).kind).toBe('call')
    expect(mayCall('https://10.0.0.1/', allowed).kind).toBe('refuse')
    expect(mayCall('https://10.0.0.1/', allow('10.0.0.0/8:443')).kind).toBe('call')
    expect(mayCall('http://10.0.0.1/', allow('10.0.0.0/8:80')).kind).toBe('call')
    expect(mayCall('http://localhost/', allow('127.0.0.0/8:80')).kind).toBe('call')
    expect(mayCall('http://localhost:3000/', allow('127.0.0.0/8:80')).kind).toBe('refuse')
  })
})

describe("an address of a cloud's metadata service", () => {
  const spellings = [
    ...metadataAddresses,
    'fd00:ec2::254%eth0',
    '::ffff:169.254.169.254',
    '::ffff:0:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::1',
  ]

  test.for(spellings)('may not be connected to, with any allowed ranges: %s', (address) => {
    expect(mayConnect({ address, port }, allow('0.0.0.0/0', '::/0'))).toBe(false)
    expect(mayConnect({ address, port }, allow('169.254.0.0/16', '168.63.129.0/31'))).toBe(false)
  })

  test('may be connected to if an exact range names the address and port', () => {
    expect(mayConnect({ address: '168.63.129.16', port }, allow('168.63.129.16/32'))).toBe(true)
    expect(mayConnect({ address: 'fd00:ec2::254', port }, allow('fd00:ec2::254/128'))).toBe(true)
    expect(mayConnect({ address: '169.254.169.254', port }, allow('169.254.169.254/32:80'))).toBe(
      false,
    )
    expect(mayCall('http://metadata/', allow('0.0.0.0/0', '::/0')).kind).toBe('refuse')
    expect(mayCall('http://metadata/', allow('169.254.169.254/32')).kind).toBe('call')
  })

  const almostExact: [address: string, range: string][] = [
    ['169.254.169.254', '169.254.169.254/31'],
    ['168.63.129.16', '168.63.129.16/31'],
    ['fd00:ec2::254', 'fd00:ec2::254/127'],
    // as long as an exact range of IPv4
    ['fd00:ec2::254', 'fd00:ec2::/32'],
  ]

  test.for(almostExact)('may not be connected to: %s by the range %s', ([address, range]) => {
    expect(mayConnect({ address, port }, allow(range))).toBe(false)
  })

  test('does not block the addresses beside it', () => {
    expect(mayConnect({ address: '168.63.129.17', port }, [])).toBe(true)
  })
})
