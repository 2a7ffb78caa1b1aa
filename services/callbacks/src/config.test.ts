import { readConfig } from '@despatch/config/read-config'
import { renderRange } from '@despatch/domain/callback/may-call'
import { expect, test } from 'vitest'
import { callbacksConfig } from './config.ts'

const required = {
  DATABASE_URL: 'postgres://localhost/despatch',
  PORT: '0',
  DESPATCH_KEY_CALLBACKS: 'ab'.repeat(32),
}
const ranges = (text: string) =>
  readConfig(callbacksConfig, {
    ...required,
    DESPATCH_CALLBACK_ALLOW: text,
  }).DESPATCH_CALLBACK_ALLOW.map(renderRange)

test('only public addresses may be called unless ranges are allowed', () => {
  expect(readConfig(callbacksConfig, required)).toMatchObject({
    DESPATCH_CALLBACK_ALLOW: [],
    DESPATCH_CALLBACK_CONCURRENCY: 256,
    DESPATCH_CALLBACK_ORIGIN_RATE: 500,
    DESPATCH_CALLBACK_ORIGIN_CONCURRENCY: 64,
    DESPATCH_KEY_CALLBACKS_PREVIOUS: [],
  })
  expect(ranges('127.0.0.0/8, ::1/128:8443')).toEqual(['127.0.0.0/8', '::1/128:8443'])
})

test.for(['127.0.0.1', '10.0.0.0/8,'])('refuses the ranges %j', (text) => {
  expect(() => ranges(text)).toThrow(
    'DESPATCH_CALLBACK_ALLOW must be address ranges, separated by commas',
  )
})

test.for([
  'socks5://proxy.example',
  'http://',
  'http://user:%zz@proxy.example',
  'proxy.example:3128',
])('refuses the proxy %j', (text) => {
  expect(() => readConfig(callbacksConfig, { ...required, DESPATCH_CALLBACK_PROXY: text })).toThrow(
    'DESPATCH_CALLBACK_PROXY must be http(s)://[user:password@]host[:port]',
  )
})
