import { request } from 'node:http';

/** Whether the gateway at a port says that it is ready. */
export function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ port, path: '/readyz', agent: false, timeout: 1_000 }, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode === 200));
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
