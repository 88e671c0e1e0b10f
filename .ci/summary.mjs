/**
 * Prints the failed tests of vitest's reports with their messages, and then the sums:
 * `node .ci/summary.mjs FOLDER FAILED_RUNS FAILED_CHECKS`. A failed test run or check without a
 * failed test counts as one.
 */
import { existsSync, readFileSync } from 'node:fs';

const [folder, failedRuns, failedChecks] = process.argv.slice(2);

function failedTestsOf(result) {
  return result.assertionResults.filter(({ status }) => status === 'failed');
}

function printFailure(file, name, message = '') {
  process.stdout.write(`FAILED ${file} ${name}\n${message.slice(0, 2_000)}\n\n`);
}

/** Counts the tests of a report. A file that failed before its tests counts as a failed test. */
function count({ numPassedTests, numFailedTests, testResults }) {
  const failedFiles = testResults.filter(({ status }) => status === 'failed');
  const broken = failedFiles.filter((result) => failedTestsOf(result).length === 0);
  for (const { name, message } of broken) printFailure(name, '', message);
  for (const result of failedFiles) {
    for (const test of failedTestsOf(result)) {
      printFailure(result.name, test.fullName, test.failureMessages.join('\n'));
    }
  }
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

function readReport(file) {
  try {
    return count(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')));
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const files = ['fresh.json', 'system.json', 'browsers.json'];
if (existsSync(`${folder}/image.json`)) files.push('image.json');
const reports = files.map(readReport);
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
const passed = sum('passed');
const allFailed = Math.max(sum('failed'), Number(failedRuns)) + Number(failedChecks);
process.stdout.write(`${passed} passed, ${allFailed} failed\n`);
process.exitCode = allFailed === 0 ? 0 : 1;
