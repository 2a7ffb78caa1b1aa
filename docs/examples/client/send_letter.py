"""Sends a PDF as a letter, and waits until it is despatched or rejected: python3 send_letter.py letter.pdf"""

import os
import sys

from despatch_client import ConsumerClient, DespatchError

despatch = ConsumerClient(
    os.environ.get("DESPATCH_URL", "http://127.0.0.1:8080"),
    user_name=os.environ["DESPATCH_USER"],
    password=os.environ["DESPATCH_PASSWORD"],
    api_key=os.environ["DESPATCH_API_KEY"],
)

try:
    with open(sys.argv[1], "rb") as letter:
        upload_id = despatch.upload_file(
            letter,
            content_type="application/pdf",
            on_progress=lambda sent, total: print(f"{sent} of {total} bytes", file=sys.stderr),
        )
    job_id = despatch.submit_print_job(
        {
            "standardParams": {
                "jobType": "LETTER",
                "templateReference": "LETTER",
                "recipientName": "Ms Ada Example",
                "address": {
                    "unstructuredAddress": {
                        "line1": "1 High Street",
                        "line5": "Anytown",
                        "postcode": "AB1 2CD",
                    }
                },
            },
            "fileParams": [{"fileId": "letter", "uploadId": upload_id}],
        }
    )
    job = despatch.wait_for_status(job_id, timeout=300)
    print(job["id"], job["status"], job.get("comment", ""))
except DespatchError as error:
    sys.exit(f"{error} {error.code or error.kind} {error.correlation_id or ''}")
