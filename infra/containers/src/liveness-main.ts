/**
 * The health check of a container. A process that says of itself that it gets no further is asked to stop, so that its restart
 * policy starts it again: Docker itself only notes that a container is unhealthy.
 */
const mainProcess = 1
const answerMsMax = 5_000

const { ok, status } = await fetch(`http://127.0.0.1:${process.env.PORT ?? 8080}/health/live`, {
  signal: AbortSignal.timeout(answerMsMax),
})
if (status === 503) process.kill(mainProcess, 'SIGTERM')
if (!ok) process.exitCode = 1
