import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The floor that no server in Node can go below: it asks nobody and makes nothing, it sends bytes that it was given.
const [, , file = ''] = process.argv;
const bodies = new Map(
  Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>).map(([path, body]) => [
    path,
    Buffer.from(body),
  ]),
);

createServer((request, response) => {
  const body = bodies.get(request.url ?? '') ?? Buffer.alloc(0);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(process.env['PORT']), '127.0.0.1');
