import { expect, test } from 'vitest'
import { parseListenAddress } from './listen-address.ts'

test.each([
  ['http://127.0.0.1:9090', { host: '127.0.0.1', port: 9090 }],
  ['http://localhost:9090/', { host: 'localhost', port: 9090 }],
  ['http://10.1.2.3', { host: '10.1.2.3', port: 80 }],
  ['http://172.31.0.1:81', { host: '172.31.0.1', port: 81 }],
  ['http://192.168.1.2:9090', { host: '192.168.1.2', port: 9090 }],
  ['http://[::1]:9090', { host: '::1', port: 9090 }],
  ['http://[fd00::1]:9090', { host: 'fd00::1', port: 9090 }],
])('%s can be listened on', (address, listen) =>
  expect(parseListenAddress(address)).toEqual(listen),
)

test.each([
  'http://0.0.0.0:9090',
  'http://8.8.8.8:9090',
  'http://172.32.0.1:9090',
  'http://factory.example:9090',
])('%s is not of this machine or its own network', (address) =>
  expect(() => parseListenAddress(address)).toThrow('loopback or private address'),
)

test.each([
  'https://127.0.0.1:9090',
  'http://127.0.0.1:9090/print-fulfilment',
  'http://user@127.0.0.1:9090',
  '127.0.0.1:9090',
  'nonsense',
])('%s is no address of a host and a port', (address) =>
  expect(() => parseListenAddress(address)).toThrow('with only a host and a port'),
)
