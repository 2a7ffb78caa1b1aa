import { shareInfra } from './infra.ts'

export default shareInfra(async () => {
  const { TEST_POSTGRES_URL, TEST_REDIS_URL, TEST_S3_ENDPOINT } = process.env
  if (!TEST_POSTGRES_URL) throw new Error('TEST_INFRA=given requires TEST_POSTGRES_URL')
  return {
    postgresUrl: TEST_POSTGRES_URL,
    redisUrl: TEST_REDIS_URL,
    ...(TEST_S3_ENDPOINT && {
      objectStore: {
        endpoint: TEST_S3_ENDPOINT,
        region: process.env.TEST_S3_REGION ?? 'eu-west-2',
        bucket: process.env.TEST_S3_BUCKET ?? 'despatch',
        accessKeyId: process.env.TEST_S3_ACCESS_KEY_ID ?? '',
        secretAccessKey: process.env.TEST_S3_SECRET_ACCESS_KEY ?? '',
      },
    }),
    stop: async () => {},
  }
})
