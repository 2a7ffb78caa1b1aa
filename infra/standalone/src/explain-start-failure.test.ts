import { expect, test } from 'vitest'
import { explainStartFailure } from './explain-start-failure.ts'

test.each([
  [
    'a port in use',
    Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 8080 }),
    'port 8080 is in use. Set DESPATCH_PORT and DESPATCH_OPS_PORT to other ports, or to 0 for free ones. A second Despatch also requires a DESPATCH_DATA_DIR of its own.',
  ],
  [
    'a port in use, after which something could not be closed',
    new SuppressedError(
      new Error('close'),
      Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 8080 }),
    ),
    'port 8080 is in use. Set DESPATCH_PORT and DESPATCH_OPS_PORT to other ports, or to 0 for free ones. A second Despatch also requires a DESPATCH_DATA_DIR of its own.',
  ],
  [
    'a data folder that is a file',
    Object.assign(new Error('EEXIST'), { code: 'EEXIST', path: '/data' }),
    '/data is not a folder. Choose another folder with DESPATCH_DATA_DIR.',
  ],
  [
    'a data folder that is not writable',
    Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/data/despatch.log' }),
    '/data/despatch.log cannot be written to. Choose another folder with DESPATCH_DATA_DIR.',
  ],
  [
    'a read-only disk',
    Object.assign(new Error('EROFS'), { code: 'EROFS', path: '/data' }),
    '/data cannot be written to: the disk is read-only. Choose another folder with DESPATCH_DATA_DIR.',
  ],
  [
    'a full disk, which the system reports without a path, as the cause of another error',
    new Error('cannot use it', { cause: Object.assign(new Error('write'), { code: 'ENOSPC' }) }),
    'the data folder cannot be written to: the disk is full. Choose another folder with DESPATCH_DATA_DIR.',
  ],
  [
    'wrong settings, each on its line',
    Object.assign(new Error('PORT is required\nHOST is wrong'), { name: 'ConfigError' }),
    '\nPORT is required\nHOST is wrong',
  ],
  [
    'an error with its causes',
    new Error('Migration 0001 failed', { cause: new Error('disk full') }),
    'Migration 0001 failed: disk full',
  ],
  [
    'an error of several attempts',
    new Error('The database cannot be reached', {
      cause: new AggregateError([new Error('connect ECONNREFUSED'), new Error('the other')]),
    }),
    'The database cannot be reached: connect ECONNREFUSED',
  ],
])('%s', (_name, error, text) => {
  expect(explainStartFailure(error)).toBe(text)
})
