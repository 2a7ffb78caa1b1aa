/**
 * The health check of a container. Docker only marks a container as unhealthy. So if the process reports that it makes
 * no progress, this check asks it to stop, and its restart policy starts it again. Process 1 is tini, which passes the
 * signal on.
 */
const initProcess = 1
const answerMsMax = 5_000

const { ok, status } = await fetch(`http://127.0.0.1:${process.env.PORT ?? 8080}/health/live`, {
  signal: AbortSignal.timeout(answerMsMax),
})
if (status === 503) process.kill(initProcess, 'SIGTERM')
if (!ok) process.exitCode = 1
