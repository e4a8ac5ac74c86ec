#include "tests/support/status_matchers.h"
