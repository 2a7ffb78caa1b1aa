import { expect, test } from 'vitest'
import { findIamFault, refuseIamFault, regionOf, signsInByIam } from './iam-address.ts'

const secured = 'sslmode=verify-full'

test.each([
  `postgresql://despatch_pipeline@db.test/despatch?auth=aws-iam&${secured}`,
  `postgresql://despatch_pipeline@db.test:5433/despatch?${secured}&sslrootcert=/ca.pem&auth=aws-iam`,
])('%s signs in with IAM tokens', (address) => {
  expect(findIamFault(address)).toBeUndefined()
  expect(signsInByIam(address)).toBe(true)
})

test.each([
  'postgresql://owner:secret@db.test/despatch',
  `postgresql://owner:secret@db.test/despatch?${secured}`,
  'postgresql://owner:secret@%2Fvar%2Frun:5432/despatch',
  'not an address',
])('%s signs in without IAM tokens', (address) => {
  expect(findIamFault(address)).toBeUndefined()
  expect(signsInByIam(address)).toBe(false)
})

test.each([
  ['postgresql://owner@db.test/despatch?auth=aws-iam', 'must have sslmode=verify-full'],
  ['postgresql://owner@db.test/despatch?auth=aws-iam&sslmode=require', 'must have sslmode=verify'],
  [`postgresql://owner@db.test/d?auth=aws-iam&${secured}&sslmode=disable`, 'sslmode=verify-full'],
  [`postgresql://owner@db.test/d?auth=aws-iam&${secured}&ssl=0`, 'must have sslmode=verify-full'],
  [`postgresql://owner:secret@db.test/despatch?auth=aws-iam&${secured}`, 'must have no password'],
  [`postgresql://owner@db.test/d?password=p&auth=aws-iam&${secured}`, 'must have no password'],
  [`postgresql://db.test/despatch?auth=aws-iam&${secured}`, 'must name the user'],
  [`postgresql://owner@db.test/despatch?auth=iam&${secured}`, 'must have auth=aws-iam'],
])('%s is refused: it %s', (address, fault) => {
  expect(findIamFault(address)).toContain(fault)
  expect(() => refuseIamFault(address)).toThrow(fault)
})

test.each([
  ['letters.c1a2b3.eu-west-2.rds.amazonaws.com', 'eu-west-2'],
  ['letters.cluster-ro-c1a2b3.us-gov-west-1.rds.amazonaws.com', 'us-gov-west-1'],
  ['letters.proxy-c1a2b3.cn-north-1.rds.amazonaws.com.cn', 'cn-north-1'],
  ['localhost', undefined],
  ['db.eu-west-2.example.com', undefined],
])('%s is in %s', (host, region) => expect(regionOf(host)).toBe(region))
