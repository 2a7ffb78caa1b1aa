import { readConfig } from '@despatch/config/read-config'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { callbacksConfig } from './config.ts'

const required = {
  DATABASE_URL: 'postgres://localhost/despatch',
  PORT: '0',
  DESPATCH_SECRET_KEY: 'ab'.repeat(32),
}

test('calls nothing but public addresses unless ranges are allowed', () => {
  expect(readConfig(callbacksConfig, required).DESPATCH_CALLBACK_ALLOW).toEqual([])
  expect(
    readConfig(callbacksConfig, { ...required, DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8, ::1/128' })
      .DESPATCH_CALLBACK_ALLOW,
  ).toEqual([ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')])
})

test.for(['127.0.0.1', 'localhost', '10.0.0.0/8,', '10.0.0.0/33'])(
  'refuses the ranges %j',
  (text) => {
    expect(() =>
      readConfig(callbacksConfig, { ...required, DESPATCH_CALLBACK_ALLOW: text }),
    ).toThrow('DESPATCH_CALLBACK_ALLOW must be address ranges with commas between them')
  },
)
